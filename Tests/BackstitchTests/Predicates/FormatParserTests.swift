import Backstitch
import Foundation
import Testing

@Suite("predicate format")
struct FormatParserTests {
    private let title = FetchExpression.keyPath("title")
    private let size = FetchExpression.keyPath("size")

    private func parse(_ format: String, _ arguments: (any PredicateArgument)?...) throws -> FetchPredicate {
        try FetchPredicate(format: format, arguments: arguments)
    }

    private func comparison(
        _ left: FetchExpression, _ comparisonOperator: FetchComparison.Operator, _ right: FetchExpression,
        _ options: FetchTextOptions = [], _ quantifier: FetchComparison.Quantifier? = nil
    ) -> FetchPredicate {
        .comparison(FetchComparison(left, comparisonOperator, right, options: options, quantifier: quantifier))
    }

    @Test(
        "every comparison operator has its spellings",
        arguments: [
            ("=", .equal), ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<", .less), ("<=", .lessOrEqual),
            ("=<", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual), ("=>", .greaterOrEqual),
            ("CONTAINS", .contains),
            ("contains", .contains), ("BEGINSWITH", .beginsWith), ("beginsWith", .beginsWith), ("ENDSWITH", .endsWith),
            ("LIKE", .like), ("matches", .matches),
        ] as [(String, FetchComparison.Operator)])
    func operators(symbol: String, expected: FetchComparison.Operator) throws {
        #expect(try parse("title \(symbol) 'x'") == comparison(title, expected, .value("x")))
        #expect(
            try parse("title \(symbol)[cd] 'x'")
                == comparison(title, expected, .value("x"), [.caseInsensitive, .diacriticInsensitive]))
        if !symbol.first!.isLetter {
            #expect(try parse("title\(symbol)'x'") == comparison(title, expected, .value("x")))
        }
    }

    @Test("lists follow IN and BETWEEN, as literals, arguments and variables")
    func lists() throws {
        #expect(try parse("size BETWEEN {1, 9}") == comparison(size, .between, .list([.value(1), .value(9)])))
        #expect(try parse("size between %@", [1, 9]) == comparison(size, .between, .list([.value(1), .value(9)])))
        #expect(
            try parse("title IN {'a', %@, $B}", "c")
                == comparison(title, .in, .list([.value("a"), .value("c"), .variable("B")])))
        #expect(try parse("title IN {}") == comparison(title, .in, .list([])))
        #expect(try parse("title IN $LIST") == comparison(title, .in, .variable("LIST")))
        #expect(try parse("%@ IN tags.name", "x") == comparison(.value("x"), .in, .keyPath("tags.name")))
        #expect(try parse("title IN %@", Set(["one"])) == comparison(title, .in, .list([.value("one")])))
    }

    @Test("text options are c, d, cd in any case, and n for none")
    func options() throws {
        #expect(try parse("title ==[c] 'x'") == comparison(title, .equal, .value("x"), .caseInsensitive))
        #expect(
            try parse("title CONTAINS [DC] 'x'")
                == comparison(title, .contains, .value("x"), [.caseInsensitive, .diacriticInsensitive]))
        #expect(try parse("title IN[d] {'x'}") == comparison(title, .in, .list([.value("x")]), .diacriticInsensitive))
        #expect(try parse("title ==[n] 'x'") == comparison(title, .equal, .value("x")))
    }

    @Test("NOT binds closer than AND, AND closer than OR, and parentheses closest")
    func precedence() throws {
        let (a, b, c) = (Key<Int>("a") == 1, Key<Int>("b") == 2, Key<Int>("c") == 3)
        #expect(try parse("a == 1 OR b == 2 AND c == 3") == .or([a, .and([b, c])]))
        #expect(try parse("a == 1 and b == 2 or c == 3") == .or([.and([a, b]), c]))
        #expect(try parse("(a == 1 || b == 2) && c == 3") == .and([.or([a, b]), c]))
        #expect(try parse("NOT a == 1 AND b == 2") == .and([.not(a), b]))
        #expect(try parse("!(a == 1 AND b == 2)") == .not(.and([a, b])))
        #expect(try parse("NOT NOT a == 1") == .not(.not(a)))
        #expect(try parse("! a == 1 OR !b == 2 OR not c == 3") == .or([.not(a), .not(b), .not(c)]))
        #expect(try parse("((a) == (1))") == a)
        #expect(try parse("TRUEPREDICATE AND falsepredicate") == .and([.constant(true), .constant(false)]))
    }

    @Test("quantifiers stand before the comparison")
    func quantifiers() throws {
        let name = FetchExpression.keyPath("tags.name")
        #expect(try parse("ANY tags.name == 'x'") == comparison(name, .equal, .value("x"), [], .any))
        #expect(try parse("some tags.name == 'x'") == comparison(name, .equal, .value("x"), [], .any))
        #expect(try parse("ALL tags.name == 'x'") == comparison(name, .equal, .value("x"), [], .all))
        #expect(
            try parse("NOT NONE tags.name IN {'x'}")
                == .not(comparison(name, .in, .list([.value("x")]), [], FetchComparison.Quantifier.none)))
    }

    @Test("paths begin at the object, at SELF or at a variable, and # takes a keyword as a name")
    func paths() throws {
        #expect(
            try parse("folder.name == 'x'")
                == comparison(.keyPath(FetchKeyPath(names: ["folder", "name"])), .equal, .value("x")))
        #expect(try parse("SELF.title == 'x'") == comparison(title, .equal, .value("x")))
        #expect(try parse("self IN $X") == comparison(.keyPath("SELF"), .in, .variable("X")))
        #expect(try parse("#in == 'x'") == comparison(.keyPath("in"), .equal, .value("x")))
        #expect(try parse("folder.in == 'x'") == comparison(.keyPath("folder.in"), .equal, .value("x")))
        #expect(try parse("%K == 'x'", "folder.name") == comparison(.keyPath("folder.name"), .equal, .value("x")))
        #expect(try parse("folder.%K == 'x'", "name") == comparison(.keyPath("folder.name"), .equal, .value("x")))
        #expect(try parse("%K > 2", "tags.@count") == comparison(.count("tags"), .greater, .value(2)))
        #expect(try parse("folder.notes.@count > 2") == comparison(.count("folder.notes"), .greater, .value(2)))
    }

    @Test("SUBQUERY counts, with paths from its variable and from the object")
    func subquery() throws {
        let inner = FetchPredicate.and([
            comparison(.keyPath(FetchKeyPath(root: .variable("t"), names: ["name"])), .equal, .keyPath("title")),
            comparison(.variable("t"), .notEqual, .variable("OTHER")),
        ])
        #expect(
            try parse("subquery(tags, $t, $t.name == title AND $t != $OTHER).@count >= 1")
                == comparison(
                    .subqueryCount(FetchSubquery("tags", variable: "t", where: inner)), .greaterOrEqual, .value(1)))
    }

    @Test(
        "numbers are integers, doubles where those are exact as written, and decimals otherwise",
        arguments: [
            ("0", .int(0)), ("-5", .int(-5)), ("- 5", .int(-5)), ("0x1F", .int(31)), ("-0xff", .int(-255)),
            ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)), ("1.5", .double(1.5)),
            (".5", .double(0.5)),
            ("0.1", .double(0.1)), ("1e3", .double(1000)), ("-2.5E-3", .double(-0.0025)), ("1e308", .double(1e308)),
            ("9223372036854775808", .decimal(Decimal(canonicalText: "9223372036854775808") ?? .nan)),
            ("1.00000000000000000001", .decimal(Decimal(canonicalText: "1.00000000000000000001") ?? .nan)),
            ("3.14159265358979323846264338327950288419716939937510", .double(.pi)),
        ] as [(String, Value)])
    func numbers(text: String, expected: Value) throws {
        #expect(try parse("size == \(text)") == comparison(size, .equal, .value(expected)))
    }

    @Test("quoted text takes escapes, %% is a percent sign, and nothing else in quotes is replaced")
    func quotes() throws {
        #expect(try parse(#"title == "it's""#) == comparison(title, .equal, .value("it's")))
        #expect(try parse(#"title == 'a\'b\\c\n\t\r\"'"#) == comparison(title, .equal, .value("a'b\\c\n\t\r\"")))
        #expect(try parse(#"title == '\x41\u00e9\U0001F469'"#) == comparison(title, .equal, .value("Aé👩")))
        #expect(try parse("title == '100%% %@ %K $X'") == comparison(title, .equal, .value("100% %@ %K $X")))
        #expect(try parse("title == ''") == comparison(title, .equal, .value("")))
        #expect(try parse("title == 'é AND ('") == comparison(title, .equal, .value("é AND (")))
    }

    @Test("constants of the language are keywords in any case")
    func constants() throws {
        for (text, value) in [
            ("TRUE", true), ("yes", true), ("False", false), ("NO", false), ("NULL", nil), ("nil", nil),
        ] as [(String, Bool?)] {
            #expect(
                try parse("done == \(text)")
                    == comparison(.keyPath("done"), .equal, .value(value.map(Value.bool) ?? .null)))
        }
    }

    @Test("%@ takes every kind of argument")
    func objectArguments() throws {
        let id = ObjectID(entityName: "Note", key: ObjectKey(high: 1, low: 2))
        let date = Date(milliseconds: 1_700_000_000_000)
        let url = try #require(URL(string: "http://example.org/"))
        let cases: [((any PredicateArgument)?, Value)] = [
            ("x", .string("x")), ("xyz".prefix(1), .string("x")), (1, .int(1)), (Int8(-1), .int(-1)),
            (UInt16(1), .int(1)),
            (UInt64.max, .decimal(Decimal(canonicalText: "18446744073709551615") ?? .nan)), (1.5, .double(1.5)),
            (Float(0.5), .double(0.5)), (Decimal(3), .decimal(3)), (true, .bool(true)), (date, .date(date)),
            (Data([1]), .data(Data([1]))), (id.key.uuid, .uuid(id.key.uuid)), (url, .uri(url)), (id, .object(id)),
            (nil, .null),
            (String?.none, .null), (Int?.some(3), .int(3)), (Value.int(4), .int(4)),
        ]
        for (argument, value) in cases {
            #expect(try parse("title == %@", argument) == comparison(title, .equal, .value(value)))
        }
        #expect(try parse("title IN %@", [1, nil]) == comparison(title, .in, .list([.value(1), .value(.null)])))
        #expect(try parse("title IN %@", [id][...]) == comparison(title, .in, .list([.value(.object(id))])))
    }

    @Test("%d and its like take integers, %f takes floating-point numbers and decimals")
    func numberArguments() throws {
        for specifier in ["%d", "%i", "%u", "%ld", "%lld", "%lu", "%llu", "%hd", "%zd", "%x"] {
            #expect(try parse("size == \(specifier)", 7) == comparison(size, .equal, .value(7)))
            #expect(throws: BackstitchError.self) { try parse("size == \(specifier)", 7.0) }
        }
        #expect(try parse("size == %f", 1.5) == comparison(size, .equal, .value(1.5)))
        #expect(try parse("size == %lf", Decimal(2)) == comparison(size, .equal, .value(.decimal(2))))
        #expect(throws: BackstitchError.self) { try parse("size == %f", 7) }
        #expect(throws: BackstitchError.self) { try parse("size == %d", "7") }
        #expect(throws: BackstitchError.self) { try parse("size == %d", true) }
    }

    @Test(
        "the description of a predicate is a format that gives it again",
        arguments: [
            "title == \"x\"", "NOT (title CONTAINS[cd] \"a%% \\\"b\\\"\" OR size < -5)",
            "(a == 1 OR b == 2) AND c != NULL",
            "ANY tags.name IN {\"a\", \"b\"}", "NONE tags.name ==[c] TRUE", "tags.@count > 0", "size BETWEEN {1, 9.5}",
            "SUBQUERY(tags, $t, $t.name == title AND $t.notes.@count > 3).@count == 0", "#in LIKE \"*\\\\?\"",
            "SELF IN $X", "TRUEPREDICATE",
            "NOT NOT FALSEPREDICATE", "price == 1.00000000000000000001", "ALL notes.title MATCHES[d] \"\\\\d+\"",
        ])
    func description(format: String) throws {
        let predicate = try parse(format)
        #expect(predicate.description == format)
        #expect(try parse(predicate.description) == predicate)
    }
}
