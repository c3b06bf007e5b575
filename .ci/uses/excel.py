"""A question set in a workbook; the file is made here, of the parts that a workbook needs."""

import zipfile
from pathlib import Path

from tophit.formats import read_questions

TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
ROWS = [("id", "question", "expected"), ("007", "When?", "The shop opens at nine.")]
CELLS = "".join(
    "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in row) + "</row>"
    for row in ROWS
)
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{TYPE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{TYPE}"><sheets>'
    '<sheet name="golden" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{TYPE}/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>",
    "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{CELLS}</sheetData>'
    "</worksheet>",
}
with zipfile.ZipFile(Path("golden.xlsx"), "w") as book:
    for name, content in PARTS.items():
        book.writestr(name, content)
asked = read_questions("golden.xlsx")
assert asked.judgments["query_id"].to_list() == ["007"], asked
assert asked.judgments["text"].to_list() == ["The shop opens at nine."], asked
