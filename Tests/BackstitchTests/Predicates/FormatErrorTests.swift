import Backstitch
import Testing

@Suite("errors of predicate formats")
struct FormatErrorTests {
    private func fault(_ format: String, _ arguments: [(any PredicateArgument)?] = []) -> BackstitchError? {
        #expect(throws: BackstitchError.self, "\(format)") { try FetchPredicate(format: format, arguments: arguments) }
    }

    @Test(
        "an error shows the format, a caret under the place, and what was expected there",
        arguments: [
            // The caret's column, and a part of the message.
            ("", 0, "expected a key path or a constant, found the end"),
            ("title", 5, "expected an operator"),
            ("title ==", 8, "expected a key path or a constant, found the end"),
            ("title == == 'x'", 9, "found =="),
            ("title = 'x' size = 3", 12, "expected AND, OR or the end, found \"size\""),
            ("title = 'x' AND", 15, "found the end"),
            ("title = 'x' AND AND", 16, "found the keyword AND"),
            ("title = 'x", 8, "the closing '"),
            ("(title = 'x'", 0, "the ) of this ("),
            ("title = 'x')", 11, "expected AND, OR or the end, found )"),
            ("title = 'a\\qb'", 10, "\\\\q"),
            ("title = '\\u12'", 11, "4 hexadecimal digits"),
            ("title CONTAINS[x] 'a'", 15, "expected [c], [d], [cd] or [n], found [x]"),
            ("title CONTAINS[c 'a'", 17, "expected ]"),
            ("title CONTAINS[cn] 'a'", 15, "found [cn]"),
            ("size BETWEEN {1}", 13, "two bounds"),
            ("size BETWEEN {1, 2, 3}", 13, "found 3"),
            ("size IN {1, 2", 13, ", or }"),
            ("size IN {1 2}", 11, ", or }"),
            ("size NOT IN {1}", 5, "write NOT before the whole comparison"),
            ("in == 3", 0, "write #in"),
            ("tags.@sum > 3", 6, "count after @"),
            ("tags.@count.x > 3", 0, "nothing after @count"),
            ("tags[0] == 'x'", 4, "no index"),
            ("lowercase(title) == 'x'", 9, "functions are not understood"),
            ("size + 3 == 4", 5, "no arithmetic"),
            ("size == -x", 9, "there is no arithmetic"),
            ("size == +3", 8, "without a plus sign"),
            ("size == 3x", 9, "a space or an operator after the number"),
            ("size == 1e", 10, "digits of an exponent"),
            ("size == 0x", 10, "hexadecimal digits"),
            ("size == 1e999", 8, "a number that a double or a decimal can hold"),
            ("ANY tags.name", 13, "expected an operator"),
            ("ANY (title == 'x')", 18, "ANY, ALL or NONE"),
            ("SUBQUERY(tags, $t, $t.name == 'x') > 0", 35, "expected .@count after SUBQUERY"),
            ("SUBQUERY tags", 9, "( after SUBQUERY"),
            ("SUBQUERY(tags, t, t.name == 'x').@count > 0", 15, "a variable such as $x"),
            ("SUBQUERY(tags, $t).@count > 0", 17, "a comma"),
            ("title == $", 9, "a name after $"),
            ("title == %", 9, "%@, %K, %d"),
            ("title == %y", 9, "found %y"),
            ("title == 50%%", 11, "%% only inside quotes"),
            ("title ~ 'x'", 6, "found \"~\""),
            ("tïtle == 'x'", 1, "found \"ï\""),
            ("'👩‍👩‍👧é' == title x", 14, "found \"x\""),
            ("folder..name == 'x'", 7, "a property's name, found ."),
            ("folder.'x' == 'x'", 7, "a property's name"),
            ("NOT title", 9, "expected an operator"),
            ("title == ('x' == 'y')", 9, "a constant or a key path"),
            ("@count > 3", 0, "a key path before @"),
            ("title\n==\t] 'x'", 9, "found ]"),
            // An argument in quotes.
            ("title CONTAINS '%@'", 15, "expected %@ without quotes"),
            ("title LIKE '*%@*'", 11, "the argument \"*word*\""),
            ("title LIKE \"%@%\"", 11, "expected %@ without quotes"),
            ("'%K' == 'x'", 0, "expected %K without quotes"),
            // SQL.
            ("size IN (1, 2)", 8, "a list in braces, as in {1, 2}"),
            ("title IN ('a')", 9, "a list in braces, as in {1, 2}"),
            ("size BETWEEN (1, 9)", 13, "a list in braces, as in {1, 2}"),
            ("size BETWEEN 1 AND 9", 13, "two bounds in braces, as in {1, 9}"),
            ("title BETWEEN 'a' AND 'b'", 14, "two bounds in braces, as in {1, 9}"),
            ("title IS NULL", 6, "IS NULL is == NULL"),
            ("title IS NOT NULL", 6, "IS NOT NULL is != NULL"),
            ("ANY tags.name is null", 14, "IS NULL is == NULL"),
            ("title LIKE 'u%'", 11, "a pattern with * for any text and ? for one character"),
            ("title LIKE '%u%'", 11, "a pattern with * for any text"),
            ("title ILIKE 'u'", 6, "ILIKE is LIKE[c]"),
            ("title REGEXP 'u'", 6, "MATCHES"),
            ("title STARTSWITH 'u'", 6, "BEGINSWITH"),
            ("title == 'x' & size == 3", 13, "expected &&, or the word AND"),
            ("title == 'x' | size == 3", 13, "expected ||, or the word OR"),
            ("title == 'x' ORDER BY size", 13, "sortedBy"),
            ("title == 'x' LIMIT 3", 13, "limit and offset are the request's"),
        ])
    func carets(format: String, column: Int, part: String) throws {
        let error = try #require(fault(format))
        #expect(error.code == .invalidPredicate)
        let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 3, "\(error.message)")
        #expect(lines[1] == "  " + format.map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined())
        #expect(lines[2] == String(repeating: " ", count: 2 + column) + "^", "\(error.message)")
        #expect(lines[0].contains(part), "\(error.message)")
    }

    @Test(
        "what looks like SQL and is meant is taken",
        arguments: [
            "title == '%%@'", "title == '50%'", "title == 'sent to %@ today'", "title LIKE '100%%'", "title LIKE 'a%b'",
            "size == 1 && size != 2 || title == 'x'", "title == NULL AND title != nil", "size BETWEEN {1, 9}",
            "(size) IN {1, 2}", "title IN (NULL)", "is == 3", "order == 3 AND limit == 4",
        ])
    func taken(format: String) throws {
        _ = try FetchPredicate(format: format)
    }

    @Test("an argument for a place in quotes is told as one too many")
    func quotedArgument() {
        #expect(fault("title == 'for %@ only'", ["x"])?.message.contains("outside of quotes") == true)
    }

    @Test("arguments are as many, and of the kinds, that the format asks for")
    func arguments() throws {
        #expect(fault("title == %@")?.message.contains("an argument for this %@; there are only 0") == true)
        #expect(fault("title == %@", ["a", "b"])?.message.contains("uses 1 of 2 arguments") == true)
        #expect(fault("title == 'x'", ["a"])?.message.contains("uses 0 of 1 arguments") == true)
        #expect(fault("%K == 'x'", [3])?.message.contains("expected a String for this %K, found the Int 3") == true)
        #expect(fault("%K == 'x'", ["a b"])?.message.contains("names between dots") == true)
        #expect(fault("%K == 'x'", ["a..b"])?.message.contains("names between dots") == true)
        #expect(fault("%K == 'x'", ["x' OR TRUEPREDICATE OR 'x"])?.message.contains("names between dots") == true)
        #expect(fault("size == %d", ["x"])?.message.contains("an integer for this %d, found the String x") == true)
        #expect(fault("size == %f", [nil])?.message.contains("found nil") == true)
    }

    @Test("of a long format the surroundings of the place are shown")
    func longFormat() throws {
        let format = (0..<500).map { "size == \($0)" }.joined(separator: " OR ") + " OR ?"
        let lines = try #require(fault(format)).message.split(separator: "\n")
        #expect(lines[1].count < 140)
        #expect(lines[1].hasPrefix("  …"))
        #expect(lines[1].dropFirst(lines[2].count - 1).hasPrefix("?"))
    }
}
