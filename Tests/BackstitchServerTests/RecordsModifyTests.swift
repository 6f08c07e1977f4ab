import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

@Suite struct RecordsModifyTests {
    @Test("a record is made, read, changed, replaced and deleted, with a new change tag each time")
    func lifecycle() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let made = try await client.save("A", ["title": .string("x"), "n": .int64(1)])
            #expect(made.recordType == "Item")
            #expect(made.fields == ["title": .string("x"), "n": .int64(1)])
            #expect(made.zoneID?.ownerRecordName == "_development")
            #expect(made.created?.userRecordName == "_development")
            #expect(made.created?.deviceID == "2")
            #expect(try await client.lookup(["A"])[0].record() == made)

            let changed = try await client.save(.update, "A", tag: made.recordChangeTag, ["n": .int64(2)])
            #expect(changed.fields == ["title": .string("x"), "n": .int64(2)])
            #expect(changed.recordChangeTag != made.recordChangeTag)
            #expect(changed.created == made.created)

            let cleared = try await client.save(.update, "A", tag: changed.recordChangeTag, ["title": nil])
            #expect(cleared.fields == ["n": .int64(2)])

            let replaced = try await client.save(.replace, "A", tag: cleared.recordChangeTag, ["m": .double(0.5)])
            #expect(replaced.fields == ["m": .double(0.5)])

            let deleted = try await client.save(.delete, "A", tag: replaced.recordChangeTag)
            #expect(deleted == WireRecord(recordName: "A", deleted: true))
            #expect(try await client.lookup(["A"])[0].error?.code == .notFound)

            let again = try await client.save("A")
            let tags = [made, changed, cleared, replaced, again].map(\.recordChangeTag)
            #expect(Set(tags).count == tags.count)
        }
    }

    @Test("each kind of operation treats missing, present and deleted records as documented")
    func table() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let expected:
                [(RecordOperation.Kind, missing: WireErrorCode?, stale: WireErrorCode?, deleted: WireErrorCode?)] = [
                    (.create, nil, .conflict, nil), (.update, .notFound, .conflict, .conflict),
                    (.forceUpdate, nil, nil, nil), (.replace, .notFound, .conflict, .conflict),
                    (.forceReplace, nil, nil, nil), (.delete, .notFound, .conflict, .notFound),
                    (.forceDelete, nil, nil, nil),
                ]
            for (kind, missing, stale, deleted) in expected {
                let absent = "\(kind)-absent", present = "\(kind)-present", gone = "\(kind)-gone"
                let tag = try await client.save(present).recordChangeTag
                try await client.save(gone)
                try await client.save(.forceDelete, gone)
                let results = try await client.modify(
                    [
                        operation(kind, absent, tag: "1"), operation(kind, present, tag: "zz"),
                        operation(kind, gone, tag: tag),
                    ],
                    atomic: false)
                #expect(results.map { $0.error?.code } == [missing, stale, deleted], "\(kind)")
                if kind.comparesTag {
                    let results = try await client.modify([operation(kind, present)], atomic: false)
                    #expect(results[0].error?.code == .conflict, "\(kind) without a tag")
                }
            }
        }
    }

    @Test("conflicts give the reasons of the real service")
    func reasons() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.save("A")
            try await client.save("B")
            try await client.save(.forceDelete, "B")
            let results = try await client.modify(
                [create("A"), operation(.update, "B", tag: "1"), operation(.update, "C", tag: "1")], atomic: false)
            #expect(
                results.map { $0.error?.reason } == [
                    "record to insert already exists", "Oplock error updating deleted record", "Record not found",
                ])
            let bare = try await client.modify([operation(.update, "A")], atomic: false)
            #expect(bare[0].error?.reason == "client oplock error updating record")
            let stale = try await client.modify([operation(.update, "A", tag: "zz")], atomic: false)
            #expect(stale[0].error?.reason == "record to update already exists with a different change tag")
        }
    }

    @Test("with extensions a conflict carries the server's record, deleted or not; without, it does not")
    func serverRecord() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let kept = try await client.save("A", ["n": .int64(Int64.max)])
            try await client.save("B")
            try await client.save(.forceDelete, "B")
            let operations = [operation(.update, "A", tag: "zz"), operation(.update, "B", tag: "zz")]
            for result in try await client.modify(operations, atomic: false) {
                #expect(result.failure?.serverRecord == nil)
                #expect(result.failure?.serverRecordDeleted == false)
            }
            let results = try await client.extended().modify(operations, atomic: false, desiredKeys: [])
            #expect(results[0].failure?.serverRecord == kept)
            #expect(results[0].failure?.serverRecordDeleted == false)
            #expect(results[1].failure?.serverRecord?.deleted == true)
            #expect(results[1].failure?.serverRecordDeleted == true)
        }
    }

    @Test("an atomic batch is all or nothing, and siblings of a failure say so")
    func atomic() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.save("old")
            let before = try await client.page().syncToken
            for atomic in [nil, true] as [Bool?] {
                let results = try await client.modify([create("A"), create("old"), create("B")], atomic: atomic)
                #expect(results.map { $0.error?.code } == [.atomicError, .conflict, .atomicError])
            }
            #expect(try await client.page(before).records.isEmpty)
            #expect(try await client.page(before).syncToken == before)
            let partly = try await client.modify([create("A"), create("old"), create("B")], atomic: false)
            #expect(partly.map { $0.error?.code } == [nil, .conflict, nil])
            #expect(try await client.page(before).records.map(\.recordName) == ["A", "B"])
        }
    }

    @Test("the default zone takes records, is never atomic, and has no feed")
    func defaultZone() async throws {
        try await withServer { client, _ in
            let results = try await client.modify(
                [create("A"), operation(.update, "B", tag: "1")], zone: nil, atomic: true)
            #expect(results.map { $0.error?.code } == [nil, .notFound])
            #expect(try await client.lookup(["A"], zone: nil)[0].record().zoneID?.zoneName == ZoneID.defaultZoneName)
            let error = await expectFailure(.badRequest) { try await client.page(zone: ZoneID.defaultZoneName) }
            #expect(error?.reason == "cannot get changes in default zone")
            let changes: DatabaseChangesResponse = try await client.call(.changesDatabase)
            #expect(changes.zones.isEmpty)
        }
    }

    @Test("one bad operation of a batch does not stop the others, whatever is wrong with it")
    func badOperations() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let long = String(repeating: "n", count: 256)
            let bad: [String] = [
                "{\"operationType\":\"explode\",\"record\":{\"recordName\":\"b\"}}",
                "{\"operationType\":\"create\"}", "5", "null", "\"x\"", "[]",
                "{\"operationType\":\"create\",\"record\":{\"recordName\":5,\"recordType\":\"T\"}}",
                "{\"operationType\":\"create\",\"record\":{\"recordName\":\"_b\",\"recordType\":\"T\"}}",
                "{\"operationType\":\"create\",\"record\":{\"recordName\":\"a\\u0000\",\"recordType\":\"T\"}}",
                "{\"operationType\":\"create\",\"record\":{\"recordName\":\"\(long)\",\"recordType\":\"T\"}}",
                "{\"operationType\":\"create\",\"record\":{\"recordName\":\"b\"}}",
                "{\"operationType\":\"create\",\"record\":{\"recordName\":\"b\",\"recordType\":\"a b\"}}",
                "{\"operationType\":\"create\",\"record\":{\"recordName\":\"b\",\"recordType\":\"T\",\"fields\":{\"n\":{\"value\":\"x\",\"type\":\"INT64\"}}}}",
                "{\"operationType\":\"create\",\"record\":{\"recordName\":\"b\",\"recordType\":\"T\",\"fields\":{\"___x\":{\"value\":1}}}}",
                "{\"operationType\":\"create\",\"record\":{\"recordName\":\"b\",\"recordType\":\"T\",\"fields\":{\"n\":{\"value\":9223372036854775808}}}}",
                "{\"operationType\":\"create\",\"record\":{\"recordName\":\"b\",\"recordType\":\"T\",\"zoneID\":{\"zoneName\":\"other\"}}}",
                "{\"operationType\":\"forceUpdate\",\"record\":{\"recordName\":\"b\"}}",
                "{\"operationType\":\"update\",\"record\":{}}",
            ]
            for (index, text) in bad.enumerated() {
                let good =
                    "{\"operationType\":\"create\",\"record\":{\"recordName\":\"good\(index)\",\"recordType\":\"T\"}}"
                let body = "{\"zoneID\":{\"zoneName\":\"Z\"},\"atomic\":false,\"operations\":[\(text),\(good)]}"
                let answer = try await client.raw(.recordsModify, body)
                #expect(answer.status == 200, "\(text): \(answer.text)")
                let records = try RecordsResponse(wireJSON: answer.body).records
                #expect(records.count == 2)
                #expect([.badRequest, .zoneNotFound].contains(records[0].error?.code), "\(text)")
                #expect(try records[1].record().recordName == "good\(index)")
                // In an atomic batch the same fault stops everything.
                let other = body.replacingOccurrences(of: "good", with: "never").replacingOccurrences(
                    of: "false", with: "true")
                let stopped = try RecordsResponse(wireJSON: await client.raw(.recordsModify, other).body).records
                // An operation on another zone belongs to that zone's batch.
                let isElsewhere = text.contains("other")
                #expect(stopped[1].error?.code == (isElsewhere ? nil : .atomicError), "\(text)")
            }
            let names = try await client.follow().records.map(\.recordName)
            #expect(names.filter { $0.hasPrefix("good") }.count == bad.count)
            #expect(names.count == bad.count + 1)
        }
    }

    @Test("a record named twice in one request is refused both times")
    func duplicates() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let results = try await client.modify(
                [create("A"), create("B"), operation(.forceUpdate, "A"), operation(.forceDelete, "A")], atomic: false)
            #expect(results.map { $0.error?.code } == [.badRequest, nil, .badRequest, .badRequest])
        }
    }

    @Test("names that look the same but differ in bytes are two records")
    func unicodeNames() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let composed = "caf\u{E9}", decomposed = "cafe\u{301}"
            try await client.modify([create(composed, ["n": .int64(1)]), create(decomposed, ["n": .int64(2)])])
            let found = try await client.lookup([decomposed, composed])
            #expect(try found.map { try $0.record().value("n") } == [.int64(2), .int64(1)])
            #expect(
                try found.map { Array(try $0.record().recordName.utf8) } == [
                    Array(decomposed.utf8), Array(composed.utf8),
                ])
            #expect(try await client.follow().records.count == 2)
        }
    }

    @Test("a record without a name gets one, and one without a type of its own keeps it")
    func mintedName() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let body = """
                {"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordType":"T"}}]}
                """
            let made = try RecordsResponse(wireJSON: await client.raw(.recordsModify, body).body).records[0].record()
            #expect(UUID(uuidString: made.recordName) != nil)
            #expect(made.recordName == made.recordName.uppercased())
            let kept = try await client.modify([
                operation(.update, made.recordName, tag: made.recordChangeTag, type: nil)
            ])
            #expect(try kept[0].record().recordType == "T")
            let other = try await client.modify(
                [operation(.forceUpdate, made.recordName, type: "Other")], atomic: false)
            #expect(other[0].error?.code == .badRequest)
        }
    }

    @Test("every kind of value comes back as it was, and whole numbers are exact to the ends")
    func values() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let fields: [String: WireValue?] = [
                "smallest": .int64(.min), "largest": .int64(.max), "minusZero": .double(-0.0), "tenth": .double(0.1),
                "tiny": .double(.leastNonzeroMagnitude), "when": .timestamp(-1), "bytes": .bytes(Data([0, 255])),
                "text": .string("\u{0}\u{1F600}e\u{301}\"\\\n"), "reference": .reference(.init(recordName: "B")),
                "place": .location(.init(latitude: 1.5, longitude: -2)), "emptyTexts": .stringList([]),
                "numbers": .int64List([.min, .max]), "dates": .timestampList([]), "none": .unknownList,
            ]
            let made = try await client.save("A", fields)
            let read = try await client.lookup(["A"])[0].record()
            let fed = try await client.follow().records[0]
            for record in [made, read, fed] {
                #expect(record.fields == fields)
                guard case .double(let zero)? = record.value("minusZero") else { throw TestFailure("no double") }
                #expect(zero.sign == .minus)
            }
        }
    }

    @Test("a field keeps its type when a sender leaves the type out")
    func inference() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let stored: [String: WireValue?] = [
                "when": .timestamp(1), "ratio": .double(1), "data": .bytes(Data([1])), "list": .timestampList([1]),
            ]
            try await client.save("A", stored)
            let body = """
                {"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceUpdate","record":{"recordName":"A","recordType":"Item",
                "fields":{"when":{"value":5},"ratio":{"value":2},"data":{"value":"AgM="},"list":{"value":[]},"fresh":{"value":true}}}}]}
                """
            let record = try RecordsResponse(wireJSON: await client.raw(.recordsModify, body).body).records[0].record()
            #expect(
                record.fields == [
                    "when": .timestamp(5), "ratio": .double(2), "data": .bytes(Data([2, 3])),
                    "list": .timestampList([]),
                    "fresh": .int64(1),
                ])
        }
    }

    @Test("desiredKeys and numbersAsStrings shape the answer")
    func shape() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let fields: [String: WireValue?] = ["a": .int64(.max), "b": .string("x"), "c": .double(0.5)]
            let none = try await client.modify([create("A", fields)], desiredKeys: [])
            #expect(try none[0].record().fields.isEmpty)
            try await client.modify([create("B", fields)], desiredKeys: [])
            let some: RecordsResponse = try await client.call(
                .recordsLookup,
                RecordsLookupRequest(
                    zoneID: TestClient.zone,
                    records: [.init(recordName: "A"), .init(recordName: "B", desiredKeys: ["b"])],
                    desiredKeys: ["a"]))
            #expect(try some.records.map { Set(try $0.record().fields.keys) } == [["a"], ["b"]])
            let strings = try await client.raw(
                .recordsLookup,
                "{\"zoneID\":{\"zoneName\":\"Z\"},\"records\":[{\"recordName\":\"A\"}],\"numbersAsStrings\":true}")
            #expect(strings.text.contains("\"value\":\"9223372036854775807\""))
            #expect(strings.text.contains("\"value\":\"0.5\""))
            #expect(try RecordsResponse(wireJSON: strings.body).records[0].record().fields == fields)
        }
    }

    @Test("a missing zone fails every operation with ZONE_NOT_FOUND")
    func missingZone() async throws {
        try await withServer { client, _ in
            let results = try await client.modify([create("A"), create("B")])
            #expect(results.map { $0.error?.code } == [.zoneNotFound, .zoneNotFound])
            #expect(try await client.lookup(["A"])[0].error?.code == .zoneNotFound)
            #expect(try await client.lookup(["A"], zone: nil)[0].error?.code == .notFound)
        }
    }

    @Test("records of several zones in one request go to their zones, each atomic for itself")
    func severalZones() async throws {
        try await withServer { client, _ in
            try await client.makeZone("Z")
            try await client.makeZone("Y")
            var inY = create("A")
            inY.record.zoneID = ZoneID(zoneName: "Y")
            var badInY = operation(.update, "B", tag: "1")
            badInY.record.zoneID = ZoneID(zoneName: "Y")
            let results = try await client.modify([create("A"), inY, badInY])
            #expect(results.map { $0.error?.code } == [nil, .atomicError, .notFound])
            #expect(try await client.follow(zone: "Z").records.count == 1)
            #expect(try await client.follow(zone: "Y").records.isEmpty)
        }
    }
}
