import Backstitch
import Foundation
import Testing

@Suite("typed keys")
struct KeyTests {
    @Test("operators and methods give the trees of the format language")
    func trees() throws {
        let id = ObjectID(entityName: "Tag", key: ObjectKey(high: 0, low: 1))
        for (predicate, format, arguments) in [
            (Key<String>("title") == "x", "title == 'x'", []), (Key<String>("title") == nil, "title == nil", []),
            (Key("title") != "x", "title != 'x'", []), (Key<Int>("size") < 3, "size < 3", []),
            (Key("size") <= 3, "size <= 3", []),
            (Key<Double>("score") > 1.5, "score > 1.5", []), (Key<Int>("size") >= 3, "size >= 3", []),
            (Key<String>("title") == Key("folder.name"), "title == folder.name", []),
            (Key<String>("title").contains("a", .caseInsensitive), "title CONTAINS[c] 'a'", []),
            (Key("title").beginsWith("a"), "title BEGINSWITH 'a'", []),
            (Key("title").endsWith("a"), "title ENDSWITH 'a'", []),
            (Key("title").like("a*", [.caseInsensitive, .diacriticInsensitive]), "title LIKE[cd] 'a*'", []),
            (Key("title").matches("a+"), "title MATCHES 'a+'", []),
            (Key("title").equals("a", .caseInsensitive), "title ==[c] 'a'", []),
            (Key<Int>("size").isIn([1, 2]), "size IN {1, 2}", []),
            (Key<Int>("size").isIn([1, nil]), "size IN {1, nil}", []),
            (Key<Int>("size").isBetween(1...9), "size BETWEEN {1, 9}", []),
            (Key<ObjectID>("tags").contains(id), "tags CONTAINS %@", [id]),
            (Key<String>("tags.name").any == "x", "ANY tags.name == 'x'", []),
            (Key<String>("tags.name").all != "x", "ALL tags.name != 'x'", []),
            (Key<String>("tags.name").none.isIn(["x"]), "NONE tags.name IN {'x'}", []),
            (Key<Int>("tags.@count") > 2, "tags.@count > 2", []),
            (
                Key<String>("a") == "x" && Key<Int>("b") == 1 && !(Key<Int>("c") == 2),
                "a == 'x' AND b == 1 AND NOT c == 2", []
            ),
            (
                Key<String>("a") == "x" || Key<Int>("b") == 1 || Key<Int>("c") == 2 && Key<Int>("d") == 3,
                "a == 'x' OR b == 1 OR c == 2 AND d == 3", []
            ),
        ] as [(FetchPredicate, String, [any PredicateArgument])] {
            #expect(predicate == (try FetchPredicate(format: format, arguments: arguments)), "\(format)")
        }
    }
}
