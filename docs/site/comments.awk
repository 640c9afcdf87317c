# The filter for headers that Doxygen reads. It keeps the line numbers, which appear in warnings.
#
# - Labels of a comment ("/// Cost:  one launch") become items of a list.
# - Specializations of templates of std, at the end of a header, are removed, because Doxygen does not know those templates. One may
#   start on a line of its own, "inline constexpr bool".
BEGIN { labels = "Align|Cost|Empty range|Error|Errors|Example|Graphs|Idea|Memory|Needs|Order|Returns|Source|Split|Stream|Threads|Throws|Waits|Words" }
/^struct std::/ { outside = 1 }
/^inline constexpr bool$/ { held = $0; next }
held { if (/std::ranges::/) outside = 1; else print held; if (outside) print "// " held; held = "" }
/^inline constexpr bool std::ranges::/ { outside = 1 }
outside { print "// " $0; if (/;$/) outside = 0; next }
match($0, "^ */// (" labels "): *") {
  label = substr($0, RSTART, RLENGTH)
  rest = substr($0, RLENGTH + 1)
  sub(/ *$/, "", label)
  sub(/\/\/\/ /, "/// - **", label)
  print label "** " rest
  next
}
{ print }
