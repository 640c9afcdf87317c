// The order of search results (html_search_scorer of Sphinx): the entry of that name, pages, other entries, files.
// Sphinx compares a whole name, warpfold::reduce, with the words of the query, so it finds no exact match by itself.
var Scorer = {
  entries: new Set(),  // names that already have a result: other overloads come later
  score: function (result) {
    var page = result[0], title = result[1], score = result[4];
    if (page.indexOf("repository/") === 0) return score - 30;  // files and records
    if (page.indexOf("api/") !== 0) return score + 10;         // guides
    if (title.indexOf("warpfold::") !== 0) return score - 10;  // a page of the reference as a whole
    var query = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase();
    var name = title.toLowerCase().split("::").pop();
    var is_other = Scorer.entries.has(title);
    Scorer.entries.add(title);
    var is_call = title.split("::").length === 2;
    if (name === query) return score + (!is_call ? -10 : is_other ? 10 : 60);
    if (name === query + "_async") return score + (is_call && !is_other ? 40 : 0);
    return score - (is_other ? 20 : page === "api/calls" ? 0 : 10);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
