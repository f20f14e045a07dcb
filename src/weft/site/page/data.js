"use strict";
// The report as site/page_data.py packs it: tables of strings, and columns of numbers that point into them.
// Both tables are sorted, so to sort rows by URL or by words is to sort them by number.

function unpacked(data) {
  const columns = Object.entries(data.lists).map(([name, column]) => [name, Uint32Array.from(column)]);
  const sections = data.sections.map(section => ({
    ...section,
    urls: Uint32Array.from(section.urls),
    statuses: Uint16Array.from(section.statuses),
    details: Uint32Array.from(section.details),
    others: Uint32Array.from(section.others),
    are_new: Uint8Array.from(section.are_new),
    referrer_counts: Uint32Array.from(section.referrer_counts),
    lists: Uint32Array.from(section.lists),
  }));
  return {...data, urls: urlsOf(data), lists: Object.fromEntries(columns), sections};
}

function urlsOf({url_shared, url_rest}) {
  let last = "";
  return url_rest.map((rest, at) => (last = last.slice(0, url_shared[at]) + rest));
}

// Strings that are searched as one: a search in one long string is several times as fast as one in each.
class Haystack {
  constructor(strings) {
    const lower = strings.map(text => text.toLowerCase());
    let end = 0;
    this.ends = Uint32Array.from(lower, text => (end += text.length + 1));
    this.all = lower.join("\n");  // no word that is searched for has it
  }

  // 1 for each string that has the word, beside those that are marked already.
  mark(word, marks = new Uint8Array(this.ends.length)) {
    let number = 0;
    for (let at = this.all.indexOf(word); at >= 0; at = this.all.indexOf(word, this.ends[number])) {
      while (this.ends[number] <= at) number++;
      marks[number] = 1;
    }
    return marks;
  }
}

// Which rows of each section have all words of a search somewhere: in their URL, details, status, kind or referrers.
// Each string is looked at once, however many rows have it.
class Search {
  constructor(report) {
    this.report = report;
    this.inLists = null;  // lists of referrers, and single ones, that have one of the words
    this.inReferrers = null;
  }

  prepare() {
    this.urls ??= new Haystack(this.report.urls);
    this.texts ??= new Haystack(this.report.texts);
  }

  rows(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.report.sections.map(section => new Uint8Array(section.urls.length).fill(1));
    const {starts, pages} = this.report.lists;
    this.inLists = words.length ? new Uint8Array(starts.length) : null;
    this.inReferrers = words.length ? new Uint8Array(pages.length) : null;
    for (const word of words) this.narrow(found, word);
    return found;
  }

  narrow(found, word) {
    this.prepare();
    const escaped = escapedForUrl(word);
    const inUrls = this.urls.mark(word);
    if (escaped !== word) this.urls.mark(escaped, inUrls);
    const inTexts = this.texts.mark(word);
    const inLists = this.listsWith(inUrls, inTexts);
    this.report.sections.forEach((section, number) => {
      const rows = found[number];
      if (section.title.toLowerCase().includes(word) || section.kind.includes(word)) return;
      for (let row = 0; row < rows.length; row++)
        rows[row] &= inUrls[section.urls[row]] | inTexts[section.details[row]] | inUrls[section.others[row]]
          | inLists[section.lists[row]] | (String(section.statuses[row]) === word);
    });
  }

  listsWith(inUrls, inTexts) {
    const {starts, pages, hows, anchors, places} = this.report.lists;
    const inHows = Uint8Array.from(anchors, (anchor, how) => inTexts[anchor] | inTexts[places[how]]);
    const inLists = new Uint8Array(starts.length);
    for (let list = 0, at = 0; list + 1 < starts.length; list++) {
      for (; at < starts[list + 1]; at++)
        if (inUrls[pages[at]] | inHows[hows[at]]) inLists[list] = this.inReferrers[at] = 1;
      this.inLists[list] |= inLists[list];
    }
    return inLists;
  }

  isInList(list) {
    return Boolean(this.inLists?.[list]);
  }

  hitsFirst(referrers) {
    const {inReferrers} = this;
    return inReferrers ? referrers.sort((one, other) => inReferrers[other] - inReferrers[one]) : referrers;
  }
}

// URLs have letters beyond ASCII as percent-escapes, people search for the letters. Half a surrogate pair has none.
function escapedForUrl(word) {
  return encodeURI(word.toWellFormed?.() ?? word.replace(/[\ud800-\udfff]/g, "")).toLowerCase();
}

// The numbers of rows in the order of a column; equal ones, and all without a column, in the order of the report.
function sorted(rows, column, descending) {
  if (!column) return rows;
  const sign = descending ? -1 : 1;
  return rows.slice().sort((one, other) => sign * (column[one] - column[other]) || one - other);
}

function rowsWhere(section, found, onlyNew) {
  const rows = new Uint32Array(found.length);
  let count = 0;
  for (let row = 0; row < found.length; row++)
    if (found[row] && (!onlyNew || section.are_new[row])) rows[count++] = row;
  return rows.subarray(0, count);
}
