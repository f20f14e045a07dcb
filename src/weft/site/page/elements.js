// How anything gets into the page: as elements of names written here, with text nodes.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter(child => child !== null && child !== ""));
  return element;
}

function button(words, action, attributes = {}) {
  const element = make("button", {type: "button", ...attributes}, words);
  element.addEventListener("click", action);
  return element;
}

const NUMBERS = new Intl.NumberFormat("en");
const number = value => NUMBERS.format(value);
const counted = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

const LONG = 200;  // characters of a URL of which only some are shown until its row is opened

// A URL that somebody may follow; what is no http URL, such as javascript:, is text.
function link(url) {
  const shown = [make("span", {class: "origin"}, visible(originOf(url))), visible(url.slice(originOf(url).length))];
  const classes = url.length > LONG ? "url long" : "url";
  if (!/^https?:\/\//i.test(url)) return make("span", {class: classes, dir: "ltr"}, ...shown);
  return make("a", {class: classes, dir: "ltr", href: url, target: "_blank", rel: "noopener noreferrer"}, ...shown);
}

const originOf = url => /^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? "";

// Characters that nobody sees, or that turn the direction of others, would make a URL look like another one.
function visible(url) {
  return url.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, character => encodeURIComponent(character));
}
