"""Text of HTML, PDF and Word files."""

import io
import zipfile
from pathlib import Path

from tophit.documents import read_documents

PDF = (
    "%PDF-1.4\n"
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
    "/Resources<</Font<</F1 5 0 R>>>>>>endobj\n"
    "4 0 obj<</Length 44>>stream\nBT /F1 12 Tf 72 720 Td (A page in PDF) Tj ET \nendstream endobj\n"
    "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
    "trailer<</Size 6/Root 1 0 R>>\n%%EOF"
)
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
DOCX = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    f'<Override PartName="/word/document.xml" ContentType="{MAIN}"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="r1" Target="word/document.xml" Type="{OFFICE}"/></Relationships>',
    "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r>'
    "<w:t>A page in Word</w:t></w:r></w:p></w:body></w:document>",
}

folder = Path("documents")
folder.mkdir(exist_ok=True)
(folder / "a.html").write_text("<h1>Loans</h1><p>A page in HTML</p>")
(folder / "b.pdf").write_text(PDF)
packed = io.BytesIO()
with zipfile.ZipFile(packed, "w") as archive:
    for name, text in DOCX.items():
        archive.writestr(name, text)
(folder / "c.docx").write_bytes(packed.getvalue())

texts = dict(read_documents(folder).frame.select("doc_id", "text").iter_rows())
for name, kind in (("a.html", "HTML"), ("b.pdf", "PDF"), ("c.docx", "Word")):
    assert f"A page in {kind}" in texts[name], texts
