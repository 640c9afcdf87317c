#include "coalescing.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "text.hpp"

namespace warpfold::program {
namespace {

using emulation::launch_counts;
using emulation::site_counts;
using emulation::traffic;

bool is_shared(traffic t) { return t == traffic::shared_load || t == traffic::shared_store; }

std::string traffic_text(traffic t) {
  switch (t) {
    case traffic::global_load:
      return "global load";
    case traffic::global_store:
      return "global store";
    case traffic::global_atomic:
      return "global atomic";
    case traffic::shared_load:
      return "shared load";
    case traffic::shared_store:
      return "shared store";
    case traffic::bulk_copy:
      return "bulk copy";
  }
  return "";
}

/// "kernel/ladder/passes.hpp:37": the path of a header, relative to the library's folder.
std::string place(const site& at) {
  std::string_view file = at.file;
  static constexpr std::string_view root = "include/warpfold/";
  if (const auto found = file.rfind(root); found != std::string_view::npos) {
    file.remove_prefix(found + root.size());
  }
  return std::string(file) + ":" + std::to_string(at.line);
}

std::string quotient(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? "" : three_digits(static_cast<double>(a) / static_cast<double>(b));
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", share);
  return text;
}

/// One line of the table of sites. Columns of the other kind of memory are blank.
std::vector<std::string> cells_of(const std::string& where, const site_counts& s) {
  std::vector<std::string> cells{where, traffic_text(s.what),
                                 s.access_bytes == 0 ? "" : std::to_string(s.access_bytes),
                                 with_commas(s.requests), with_commas(s.partial)};
  if (is_shared(s.what)) {
    cells.insert(cells.end(),
                 {"", "", "", "", with_commas(s.wavefronts), with_commas(s.bank_conflicts)});
  } else {
    cells.insert(cells.end(),
                 {with_commas(s.sectors), quotient(s.sectors, s.requests),
                  quotient(s.ideal_sectors, s.requests), percent(s.bytes_used, 32 * s.sectors)});
  }
  return cells;
}

table table_of_sites() {
  using enum table::align;
  return table({{"line", left},
                {"access", left},
                {"bytes", right},
                {"requests", right},
                {"partial", right},
                {"sectors", right},
                {"per request", right},
                {"ideal", right},
                {"used", right},
                {"wavefronts", right},
                {"conflicts", right}});
}

// --- the rules of coalescing ---------------------------------------------------------------------

struct rule {
  std::string_view text;
  std::string_view why;  // the cost of breaking the rule, and the remedy
  std::uint64_t site_counts::*broken;
};
constexpr rule rules[] = {
    {"an element is 4, 8 or 16 bytes",
     "Loads of other sizes are split (12 bytes into three loads of 4, each with gaps between the\n"
     "lanes), or use only 1 or 2 of the 16 bytes that a lane can load. Load several elements as\n"
     "one 16-byte word, or copy them to shared memory in their order and read them there, or\n"
     "keep a separate array for each member.",
     &site_counts::odd_size},
    {"thread k takes element k",
     "If neighboring lanes load elements that are not adjacent, a request fetches 32-byte sectors\n"
     "that it uses only in part. Let lane k load element k of a run, and use a grid stride.\n"
     "Replace an array of structs by a separate array for each member.",
     &site_counts::out_of_order},
    {"the run starts at an aligned segment",
     "A run that starts inside a 32-byte sector fetches one sector more than necessary. Start at\n"
     "the beginning of the array (cudaMalloc aligns it), or load the elements before the first\n"
     "aligned address separately.",
     &site_counts::misaligned}};

bool breaks_a_rule(const site_counts& s) {
  return std::any_of(std::begin(rules), std::end(rules),
                     [&](const rule& r) { return s.*r.broken != 0; });
}

/// With one lane per request, rules 2 and 3 do not apply.
bool is_single_lane(const site_counts& s) { return s.lanes == s.requests; }

std::string times_broken(std::uint64_t broken, std::uint64_t requests) {
  if (broken == 0) return "kept";
  return "broken by " + (broken == requests ? "all " + with_commas(requests)
                                            : with_commas(broken) + " of " + with_commas(requests));
}

/// How often each line of a launch breaks each rule.
std::string rules_text(const launch_counts& l) {
  using enum table::align;
  table t({{"", left}, {"", left}, {"(1) size", left}, {"(2) order", left}, {"(3) start", left}});
  bool any = false;
  for (const site_counts& s : l.sites) {
    if (is_shared(s.what) || !breaks_a_rule(s)) continue;
    if (is_single_lane(s) && s.odd_size == 0) continue;
    any = true;
    std::vector<std::string> cells{place(s.at), traffic_text(s.what)};
    for (const rule& r : rules) cells.push_back(times_broken(s.*r.broken, s.requests));
    if (is_single_lane(s)) {
      cells[3] = "-";
      cells[4] = "one lane per request";
    }
    t.add(cells);
  }
  if (!any) return "  all accesses to global memory keep the three rules of coalescing\n";
  return "  lines that break a rule of coalescing:\n" + t.text(4);
}

/// Explains the rules that at least one line breaks.
std::string explanations(const emulation::report& report) {
  std::string text;
  for (const rule& r : rules) {
    const auto number = static_cast<int>(&r - rules) + 1;
    bool broken = false;
    for (const launch_counts& l : report.launches) {
      for (const site_counts& s : l.sites) {
        const bool counts = !is_shared(s.what) && (number == 1 || !is_single_lane(s));
        broken = broken || (counts && s.*r.broken != 0);
      }
    }
    if (!broken) continue;
    std::string why(r.why);
    for (std::size_t at = 0; (at = why.find('\n', at)) != std::string::npos; at += 7) {
      why.replace(at, 1, "\n      ");
    }
    text +=
        "  (" + std::to_string(number) + ") " + bold(std::string(r.text)) + "\n      " + why + "\n";
  }
  return text.empty() ? text : "\n" + text;
}

std::string text_of(const launch_counts& l, std::size_t number, std::size_t of) {
  table t = table_of_sites();
  for (const site_counts& s : l.sites) t.add(cells_of(place(s.at), s));
  return "\nlaunch " + std::to_string(number) + " of " + std::to_string(of) + ": " +
         bold(l.launch.text().c_str()) + "\n" + t.text() + rules_text(l);
}

std::string totals_text(const emulation::report& report) {
  table t = table_of_sites();
  std::uint64_t barriers = 0, syncs = 0, shuffles = 0, votes = 0, reductions = 0;
  for (const launch_counts& l : report.launches) {
    barriers += l.barriers;
    syncs += l.warp_syncs;
    shuffles += l.shuffles;
    votes += l.votes;
    reductions += l.reductions;
  }
  for (const traffic what : {traffic::global_load, traffic::global_store, traffic::global_atomic,
                             traffic::shared_load, traffic::shared_store, traffic::bulk_copy}) {
    launch_counts all;
    for (const launch_counts& l : report.launches) {
      all.sites.insert(all.sites.end(), l.sites.begin(), l.sites.end());
    }
    const site_counts s = all.total(what);
    if (s.requests != 0) t.add(cells_of("", s));
  }
  return "\n" + bold("total") + "\n" + t.text() + "  warp instructions: __syncthreads " +
         with_commas(barriers) + ", __syncwarp " + with_commas(syncs) + ", shuffles " +
         with_commas(shuffles) + ", votes " + with_commas(votes) + ", warp reductions " +
         with_commas(reductions) + "\n";
}

constexpr std::string_view legend =
    "bytes: size of one lane's access. requests: memory instructions, one per warp. partial:\n"
    "requests with inactive lanes. sectors: 32-byte units of global memory, fetched whole. ideal:\n"
    "the fewest sectors per request that hold its bytes. used: share of the fetched bytes that\n"
    "lanes use. wavefronts: passes through the 32 banks of shared memory. conflicts: wavefronts\n"
    "beyond those that the access width requires.\n";

}  // namespace

std::string layouts_text(const std::string& kernel) {
  using enum table::align;
  table t({{"layout", left},
           {"requests", right},
           {"sectors", right},
           {"per request", right},
           {"bytes used", right}});
  for (const std::string_view name : layout_names) {
    coalescing_options options;
    options.kernel = kernel;
    options.view = static_cast<layout>(t.size());
    site_counts all;
    for (const launch_counts& l : run_emulated(options).launches) {
      const site_counts s = l.total(traffic::global_load);
      all.requests += s.requests;
      all.sectors += s.sectors;
      all.bytes_used += s.bytes_used;
    }
    t.add({std::string(name), with_commas(all.requests), with_commas(all.sectors),
           quotient(all.sectors, all.requests), percent(all.bytes_used, 32 * all.sectors)});
  }
  return t.text();
}

int run_coalescing(const coalescing_options& options) {
  const emulation::report report = run_emulated(options);
  std::printf("%s: %s %s %s, emulated as on an H100\n", bold(options.kernel).c_str(),
              with_commas(options.count).c_str(),
              std::string(layout_names[static_cast<std::size_t>(options.view)]).c_str(),
              std::string(name_of(options.type)).c_str());
  std::fputs(faint(std::string(legend)).c_str(), stdout);
  std::size_t number = 0;
  for (const launch_counts& l : report.launches) {
    std::fputs(text_of(l, ++number, report.launches.size()).c_str(), stdout);
  }
  std::fputs(totals_text(report).c_str(), stdout);
  std::fputs(explanations(report).c_str(), stdout);
  return 0;
}

}  // namespace warpfold::program
