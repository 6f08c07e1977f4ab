import Backstitch
import Foundation
import Testing

@Suite("predicates and models")
struct PredicateResolutionTests {
    @Test(
        "what does not fit the model is an error that names it",
        arguments: [
            ("titel == 'x'", "entity Note has no property \"titel\"; did you mean title?"),
            ("folder.nmae == 'x'", "entity Folder has no property \"nmae\" (in folder.nmae); did you mean name?"),
            ("zebra == 'x'", "it has title, size"),
            ("title.length > 3", "title.length goes on after Note.title, which is an attribute"),
            ("title < 3", "Note.title (string) does not compare with the integer 3"),
            ("size >= 'x'", "Note.size (integer64) does not compare with the string \"x\""),
            ("size BETWEEN {TRUE, 3}", "Note.size (integer64) does not compare with the boolean true"),
            ("title CONTAINS 3", "Note.title (string) does not compare with the integer 3"),
            ("done < TRUE", "has no order"), ("folder > nil", "has no order"), ("raw < nil", "has no order"),
            ("serial > 'x'", "pass a UUID"), ("created > 5", "pass a Date"),
            ("title < size", "have no order between them"),
            ("folder == tags", "is to-many"),
            ("tags == nil", "write ANY, ALL or NONE before it, or compare its @count"),
            ("tags.name == 'x'", "is to-many"), ("ANY title == 'x'", "ANY needs a to-many relationship"),
            ("ALL folder.name == 'x'", "ALL needs a to-many relationship"),
            ("title == tags.name", "may only be on the left"),
            ("size CONTAINS 3", "CONTAINS needs text or a to-many relationship"), ("size LIKE '3'", "LIKE needs text"),
            ("title LIKE title", "the pattern must be a constant"), ("title IN 'x'", "IN needs a list"),
            ("title BETWEEN title", "BETWEEN needs a list of two"), ("size IN {copies}", "takes constants"),
            ("title == {'x'}", "only be on the right of IN and BETWEEN"),
            ("{1} == size", "only be on the right of IN and BETWEEN"),
            ("size ==[c] 3", "[c] is for text only"), ("folder ==[cd] nil", "[cd] is for text only"),
            ("folder.@count > 0", "@count needs a to-many relationship"), ("tags.notes.@count > 0", "ambiguous"),
            ("SUBQUERY(folder, $f, $f.name == 'x').@count > 0", "SUBQUERY needs a to-many relationship"),
            ("SUBQUERY(tags, $t, SUBQUERY($t.notes, $t, TRUEPREDICATE).@count > 0).@count > 0", "two nested SUBQUERYs"),
            ("title == $NAME", "$NAME has no value"), ("$t.name == 'x'", "$t has no value"),
            ("photo == title", "compares with nil only"), ("title MATCHES '(?=a)'", "(?:"),
            ("title LIKE 'a\\\\'", "ends with a backslash"),
            ("folder < SELF", "has no order"),
        ])
    func faults(format: String, part: String) throws {
        let fault = try PredicateBench().fault(format)
        #expect(fault?.contains(part) == true, "\(format): \(fault ?? "no error")")
    }

    @Test("constants of a wrong type or entity are an error that names them")
    func wrongConstants() throws {
        let bench = try PredicateBench()
        let tag = ObjectID(entityName: "Tag", key: ObjectKey(high: 0, low: 1))
        for (format, argument, part) in [
            ("folder < %@", tag, "has no order"), ("photo == %@", Data(), "compare with nil only"),
            ("photo IN %@", ["x"], "compare with nil only"), ("title == %@", "a\0b", "U+0000"),
            ("title IN %@", ["a\0"], "U+0000"), ("created < %@", "x", "pass a Date"),
        ] as [(String, any PredicateArgument, String)] {
            let fault = try bench.fault(format, [argument])
            #expect(fault?.contains(part) == true, "\(format): \(fault ?? "no error")")
        }
    }

    @Test("an error names the key path")
    func key() throws {
        let bench = try PredicateBench()
        let error = #expect(throws: BackstitchError.self) {
            try FetchPredicate(format: "folder.nmae == 'x'").resolved(for: bench.note, in: bench.model)
        }
        #expect(error?.key == "folder.nmae")
    }

    @Test("constants come to have the type of their attribute, and resolving again changes nothing")
    func coercion() throws {
        let bench = try PredicateBench()
        for (format, argument, expected) in [
            ("score == %@", 1, .double(1)), ("price == %@", 1, .decimal(1)),
            ("price == %@", 0.5, .decimal(Decimal(canonicalText: "0.5") ?? 0)),
            ("ratio == %@", 0.1, .double(Double(Float(0.1)))), ("done == %@", 1, .bool(true)),
            ("size == %@", 3.0, .int(3)),
            ("created == %@", Date(timeIntervalSince1970: 0.0014), .date(Date(milliseconds: 1))),
            ("link == %@", URL(fileURLWithPath: "/a"), .string("file:///a")),
        ] as [(String, any PredicateArgument, Value)] {
            let resolved = try FetchPredicate(format: format, argument).resolved(for: bench.note, in: bench.model)
            guard case .comparison(let comparison) = resolved else {
                throw BackstitchError(.internalInconsistency, format)
            }
            #expect(comparison.right == .value(expected))
            #expect(try resolved.resolved(for: bench.note, in: bench.model) == resolved)
        }
    }

    @Test("evaluating or ordering before resolving is an error")
    func unresolved() throws {
        let subject = MemorySubject("Note", 1)
        #expect(throws: BackstitchError.self) { try (Key<Int>("size") == 1).evaluate(subject) }
        #expect(throws: BackstitchError.self) {
            try [FetchSortDescriptor.ascending("size")].sorted([subject, subject])
        }
    }

    @Test("variables are substituted, those of a SUBQUERY are not, and missing ones are named")
    func variables() throws {
        let predicate = try FetchPredicate(
            format:
                "title == $NAME AND size IN $LIST AND SUBQUERY(tags, $t, $t.name == $NAME AND $t != nil).@count > $N")
        let substituted = try predicate.substituting(variables: ["NAME": "x", "LIST": [1, 2], "N": 0, "t": "never"])
        #expect(
            substituted.description
                == "title == \"x\" AND size IN {1, 2} AND SUBQUERY(tags, $t, $t.name == \"x\" AND $t != NULL).@count > 0"
        )
        #expect(
            try FetchPredicate(format: "title == $X").substituting(variables: ["X": nil]).description == "title == NULL"
        )
        let error = #expect(throws: BackstitchError.self) { try predicate.substituting(variables: ["N": 1]) }
        #expect(error?.message.contains("$LIST, $NAME") == true)
    }

    @Test("predicates and orders are the same after encoding, with every kind of constant")
    func coding() throws {
        let values: [Value] = [
            .null, .bool(true), .int(.min), .int(.max), .double(0.1), .double(-.infinity), .double(.nan),
            .double(.leastNonzeroMagnitude),
            .decimal(Decimal(canonicalText: "-12345678901234567890.123456789") ?? 0), .string("é\"\\\n\u{0}"),
            .date(Date(milliseconds: -1)), .data(Data([0, 255])), .uuid(ObjectKey(high: 1, low: 2).uuid),
            .uri(URL(fileURLWithPath: "/a b")), .asset(AssetReference(checksum: "x", size: 7)),
            .object(ObjectID(entityName: "Note", key: ObjectKey(high: 3, low: 4))),
        ]
        let predicate = FetchPredicate.or(
            [
                .and([]), .constant(false), .not(.comparison(FetchComparison(.keyPath("SELF"), .in, .values(values)))),
                try FetchPredicate(format: "ANY tags.name ==[cd] $X"),
                try FetchPredicate(format: "SUBQUERY(tags, $t, $t.name LIKE[d] '*').@count > tags.@count"),
            ] + values.map { .comparison(FetchComparison(.keyPath("title"), .notEqual, .value($0))) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let decoded = try JSONDecoder().decode(FetchPredicate.self, from: encoder.encode(predicate))
        #expect(decoded == predicate)
        #expect(decoded.hashValue == predicate.hashValue)
        let text = String(decoding: try encoder.encode(Key<Int>("size") < 3), as: UTF8.self)
        #expect(text == #"{"left":{"keyPath":"size"},"operator":"less","right":{"int":3}}"#)
        let orders = [FetchSortDescriptor.descending("folder.name", options: .caseInsensitive), .ascending("size")]
        #expect(try JSONDecoder().decode([FetchSortDescriptor].self, from: encoder.encode(orders)) == orders)
    }
}
