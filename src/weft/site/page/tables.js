// A section a kind: its words, and a table of which only some rows are in the document.

const FEW = 10, MANY = 100;  // rows at once: at first, and on request
const COLUMNS = {
  url: {title: "URL", column: "urls"},
  status: {title: "Status", column: "statuses"},
  detail: {title: "Details", column: "details"},
  referrers: {title: "Referrers", column: "referrer_counts", largestFirst: true},
};

class Table {
  constructor(report, section, search) {
    this.report = report;
    this.search = search;
    this.section = section;
    this.columns = Object.keys(COLUMNS).filter(name => this.tells(name));
    this.sort = null;
    this.page = 0;
    this.atOnce = FEW;
    this.printing = false;
    this.opened = new Set();
    this.rows = new Uint32Array();
    this.element = this.build();
  }

  // Columns that say the same in each row are left out.
  tells(name) {
    const {statuses, details, others} = this.section;
    const {texts, urls} = this.report;
    if (name === "status") return statuses.some(status => status && status !== 200);
    if (name === "detail") return details.some(text => texts[text]) || others.some(url => urls[url]);
    return true;
  }

  build() {
    const {section} = this;
    this.heads = new Map(this.columns.map(name => [name, this.head(name)]));
    this.body = make("tbody");
    this.table = make("table", {class: "findings", "aria-labelledby": `title-${section.kind}`},
      make("thead", {}, make("tr", {},
        make("th", {class: "toggle"}, make("span", {class: "unseen"}, "Referring pages")), ...this.heads.values())),
      this.body);
    this.matching = make("span", {class: "matching"});
    this.pager = this.buildPager();
    return make("section", {id: section.kind, class: "card kind", tabindex: "-1"},
      make("h2", {id: `title-${section.kind}`},
        section.title, " ", make("span", {class: "count"}, number(section.count)), " ",
        badge(section.severity), this.matching),
      make("p", {class: "meaning"}, section.meaning, " ", make("span", {class: "fixing"}, section.fixing)),
      this.table, this.pager, this.buildFixed());
  }

  head(name) {
    const sorter = button(COLUMNS[name].title, () => this.sortBy(name));
    const attributes = {scope: "col", class: name, "data-title": COLUMNS[name].title, "aria-sort": "none"};
    return make("th", attributes, sorter);
  }

  buildPager() {
    const turn = (words, label, to) => button(words, () => this.turn(to()), {"aria-label": label});
    const last = () => Math.ceil(this.rows.length / this.atOnce) - 1;
    this.first = turn("First", "First rows", () => 0);
    this.previous = turn("Previous", "Previous rows", () => this.page - 1);
    this.next = turn("Next", "Next rows", () => this.page + 1);
    this.last = turn("Last", "Last rows", last);
    this.more = button("", () => this.showMany());
    this.all = button("", () => this.toggleAll());
    this.place = make("span", {class: "place", role: "status"});
    const controls = [this.all, this.more, this.first, this.previous, this.next, this.last];
    return make("div", {class: "pager"}, this.place, make("span", {class: "controls"}, ...controls));
  }

  buildFixed() {
    const {fixed, fixed_urls, kind} = this.section;
    if (!fixed) return null;
    const list = make("ul", {class: "fixed"});
    const rest = fixed - fixed_urls.length;
    showInParts(list, fixed_urls, url => make("li", {}, link(this.report.urls[url])),
      rest > 0 ? `${counted(rest, "more URL")} not in this file.` : "");
    const summary = make("summary", {}, `${number(fixed)} fixed since the earlier crawl`);
    return make("details", {id: `fixed-${kind}`}, summary, list);
  }

  show(rows) {
    this.chosen = rows;
    this.page = 0;
    this.arrange();
  }

  arrange() {
    const {column} = this.sort ? COLUMNS[this.sort.name] : {};
    this.rows = sorted(this.chosen, column && this.section[column], this.sort?.descending);
    this.fill();
  }

  sortBy(name) {
    const {largestFirst = false} = COLUMNS[name];
    if (this.sort?.name !== name) this.sort = {name, descending: largestFirst};
    else if (this.sort.descending === largestFirst) this.sort.descending = !largestFirst;
    else this.sort = null;
    const direction = this.sort?.descending ? "descending" : "ascending";
    for (const [each, head] of this.heads)
      head.setAttribute("aria-sort", this.sort?.name === each ? direction : "none");
    this.page = 0;
    this.arrange();
  }

  turn(page) {
    if (page < 0 || page * this.atOnce >= this.rows.length) return;
    this.page = page;
    this.fill();
    if (this.element.getBoundingClientRect().top < 0) this.element.scrollIntoView();
  }

  showMany() {
    this.page = Math.floor(this.page * this.atOnce / (this.atOnce === FEW ? MANY : FEW));
    this.atOnce = this.atOnce === FEW ? MANY : FEW;
    this.fill();
  }

  print(printing) {
    if (printing === this.printing) return;
    this.printing = printing;
    this.fill();
  }

  window() {
    const atOnce = this.printing ? Math.max(MANY, this.atOnce) : this.atOnce;
    const from = this.page * this.atOnce;
    return this.rows.subarray(from, from + atOnce);
  }

  fill() {
    const shown = this.window();
    const body = document.createDocumentFragment();
    for (const row of shown) {
      const element = this.row(row);
      body.append(element);
      if (this.opened.has(row)) this.open(row, element);
    }
    this.body.replaceChildren(body);
    this.table.hidden = !shown.length;
    this.fillPager(shown);
    document.dispatchEvent(new Event("filled"));
  }

  fillPager(shown) {
    const {count, urls} = this.section, total = this.rows.length, from = this.page * this.atOnce;
    const part = `${number(from + 1)}–${number(from + shown.length)} of ${number(total)}.`;
    const missing = `The file has ${number(urls.length)} of ${number(count)}.`;
    this.place.textContent = [shown.length < total && part, count > urls.length && missing].filter(Boolean).join(" ");
    this.matching.textContent = total < urls.length ? ` ${number(total)} shown` : "";
    this.more.textContent = this.atOnce === FEW ? `${MANY} at once` : `${FEW} at once`;
    this.more.hidden = total <= FEW;
    const isOpen = shown.length > 0 && shown.every(row => this.opened.has(row));
    this.all.textContent = isOpen ? "Close all" : "Open all";
    this.all.hidden = shown.length < 2;
    const pages = total > this.atOnce;
    for (const each of [this.first, this.previous, this.next, this.last]) each.hidden = !pages;
    for (const each of [this.first, this.previous]) each.setAttribute("aria-disabled", from === 0);
    for (const each of [this.next, this.last]) each.setAttribute("aria-disabled", from + shown.length >= total);
    this.pager.hidden = !this.place.textContent && this.all.hidden;
  }

  row(row) {
    const {section, report, search} = this;
    const url = report.urls[section.urls[row]], other = report.urls[section.others[row]];
    const label = `Pages that refer to ${visible(url)}`;
    const toggle = button("", () => this.toggle(row), {"aria-expanded": "false", "aria-label": label});
    const isFound = search.isInList(section.lists[row]);
    const cells = {
      url: () => make("td", {class: "url", role: "rowheader"},
        link(url), section.are_new[row] ? make("span", {class: "new"}, "new") : ""),
      status: () => make("td", {class: "status", "data-title": "status"}, String(section.statuses[row] || "–")),
      detail: () => make("td", {class: "detail"},
        make("span", {class: "words", dir: "auto"}, report.texts[section.details[row]]),
        other && make("span", {class: "other"}, make("small", {}, section.other_word), " ", link(other))),
      referrers: () => make("td", {class: isFound ? "referrers found" : "referrers", "data-title": "referrers"},
        number(section.referrer_counts[row])),
    };
    const shown = this.columns.map(name => cells[name]());
    return make("tr", {"data-row": row}, make("td", {class: "toggle"}, toggle), ...shown);
  }

  toggle(row) {
    const element = this.body.querySelector(`tr[data-row="${row}"]`);
    if (this.opened.delete(row)) {
      element.classList.remove("open");
      element.querySelector("td.toggle button").setAttribute("aria-expanded", "false");
      element.nextElementSibling.remove();
    } else {
      this.opened.add(row);
      this.open(row, element);
    }
    this.fillPager(this.window());
    document.dispatchEvent(new Event("filled"));
  }

  toggleAll() {
    const shown = this.window();
    const isOpen = shown.every(row => this.opened.has(row));
    for (const row of shown) isOpen ? this.opened.delete(row) : this.opened.add(row);
    this.fill();
  }

  open(row, element) {
    const id = `${this.section.kind}-${row}`;
    const toggle = element.querySelector("td.toggle button");
    toggle.setAttribute("aria-expanded", "true");
    toggle.setAttribute("aria-controls", id);
    element.classList.add("open");
    const cell = make("td", {colspan: this.columns.length + 1}, this.referrers(row));
    element.after(make("tr", {class: "opened", id}, cell));
  }

  referrers(row) {
    const {section, report, search} = this;
    const {starts, pages, hows, anchors, places} = report.lists;
    const list = section.lists[row];
    const count = section.referrer_counts[row], kept = starts[list + 1] - starts[list];
    if (!count && !kept) return make("p", {class: "muted"}, "No page refers to it.");
    const items = search.hitsFirst(Array.from({length: kept}, (_, at) => starts[list] + at));
    const shown = make("ol", {class: "referrers"});
    const rest = count - kept;
    showInParts(shown, items, at => make("li", {},
      link(report.urls[pages[at]]), " ",
      make("q", {class: "anchor", dir: "auto"}, report.texts[anchors[hows[at]]]), " ",
      make("small", {}, report.texts[places[hows[at]]])),
      rest > 0 ? `${counted(rest, "more page")} not in this file.` : "");
    return shown;
  }
}

// A list of which the next hundred come when they are asked for.
function showInParts(list, items, shown, ending) {
  let from = 0;
  const showNext = () => {
    const had = list.lastElementChild;
    list.append(...Array.from(items.slice(from, from + MANY), shown));
    from += MANY;
    if (from < items.length) {
      const rest = items.length - from;
      const more = button(`${number(Math.min(MANY, rest))} more of ${number(rest)}`, () => {
        more.parentElement.remove();
        showNext();
      });
      list.append(make("li", {class: "next"}, more));
    } else if (ending) list.append(make("li", {class: "muted"}, ending));
    had?.nextElementSibling?.querySelector("a, button")?.focus();
  };
  showNext();
}

const badge = severity => make("span", {class: `badge ${severity}`}, severity);
