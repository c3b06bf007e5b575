// The data of the page: base64, gzip, JSON. Nothing leaves the page, and nothing is asked for.
async function unpack(id) {
  const text = document.getElementById(id).textContent.trim();
  if (!text) return null;
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// An element: text is always text, never markup. Values that are null or false are left out.
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Control characters as pictures, as everywhere in tophit; line ends and tabs stay.
function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
  });
}

function percent(value) {
  if (value <= 0 || value >= 1) return `${Math.round(100 * value)} %`;
  return `${Math.min(99, Math.max(1, Math.round(100 * value)))} %`;
}
