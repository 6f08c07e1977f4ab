import CloudWire
import Testing

@testable import BackstitchServer

@Suite struct ReferencesTests {
    private func link(_ target: String, _ action: WireReference.Action) -> [String: WireValue?] {
        ["to": .reference(WireReference(recordName: target, action: action))]
    }

    @Test("deleting a record deletes what belongs to it, to any depth, in the same commit")
    func cascade() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.modify([
                create("root"), create("child", link("root", .deleteSelf)),
                create("grandchild", link("child", .deleteSelf)),
                create(
                    "loop",
                    [
                        "a": .reference(.init(recordName: "grandchild", action: .deleteSelf)),
                        "b": .reference(.init(recordName: "loop", action: .deleteSelf)),
                    ]),
                create("friend", link("root", .none)),
            ])
            let token = try await client.follow().token
            let results = try await client.modify([operation(.forceDelete, "root")])
            #expect(results.count == 1)
            let changes = try await client.page(token, limit: 1)
            #expect(changes.records.allSatisfy { $0.deleted })
            #expect(Set(changes.records.map(\.recordName)) == ["root", "child", "grandchild", "loop"])
            #expect(Set(changes.records.map(\.recordChangeTag)).count == 1)
            #expect(try await client.lookup(["friend"])[0].record().recordName == "friend")
        }
    }

    @Test("a reference that demands its target needs one, made before or by the same batch in any order")
    func validate() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let alone = try await client.modify([create("source", link("target", .validate)), create("other")])
            #expect(alone.map { $0.error?.code } == [.validatingReferenceError, .atomicError])
            let together = try await client.modify([create("source", link("target", .validate)), create("target")])
            #expect(together.allSatisfy { $0.error == nil })
            let forbidden = try await client.modify([operation(.forceDelete, "target")])
            #expect(forbidden[0].error?.code == .validatingReferenceError)
            let both = try await client.modify([operation(.forceDelete, "target"), operation(.forceDelete, "source")])
            #expect(both.allSatisfy { $0.error == nil })
        }
    }

    @Test("a failure takes with it what stands on it")
    func chain() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let results = try await client.modify(
                [create("a", link("b", .validate)), create("b", link("c", .validate)), create("d")], atomic: false)
            #expect(results.map { $0.error?.code } == [.validatingReferenceError, .validatingReferenceError, nil])
            #expect(try await client.follow().records.map(\.recordName) == ["d"])
        }
    }

    @Test("a deletion that would take a demanded record with it is refused")
    func cascadeOntoDemanded() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.modify([
                create("root"), create("child", link("root", .deleteSelf)), create("guard", link("child", .validate)),
            ])
            let results = try await client.modify([operation(.forceDelete, "root")])
            #expect(results[0].error?.code == .validatingReferenceError)
            #expect(try await client.lookup(["root", "child"]).allSatisfy { $0.error == nil })
        }
    }

    @Test("a link that was changed or cleared no longer counts")
    func changedLink() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.modify([
                create("root"), create("child", link("root", .deleteSelf)), create("guard", link("root", .validate)),
            ])
            try await client.save(.forceUpdate, "guard", ["to": nil])
            try await client.save(.forceReplace, "child")
            try await client.save(.forceDelete, "root")
            #expect(try await client.lookup(["child", "guard"]).allSatisfy { $0.error == nil })
        }
    }

    @Test("a reference must stay in its zone")
    func otherZone() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.makeZone("Y")
            for zone in [ZoneID(zoneName: "Y"), ZoneID(zoneName: "Z", ownerRecordName: "stranger")] {
                let reference = WireReference(recordName: "x", zoneID: zone)
                let results = try await client.modify([create("A", ["to": .reference(reference)])])
                #expect([.badRequest, .zoneNotFound].contains(results[0].error?.code))
            }
            let own = WireReference(recordName: "x", zoneID: ZoneID(zoneName: "Z", ownerRecordName: "_development"))
            #expect(try await client.modify([create("A", ["to": .reference(own)])])[0].error == nil)
        }
    }

    @Test("a child that the batch itself saves stays when its parent goes")
    func savedChildStays() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.modify([create("root"), create("child", link("root", .deleteSelf))])
            try await client.modify([
                operation(.forceDelete, "root"), operation(.forceUpdate, "child", link("root", .deleteSelf)),
            ])
            #expect(try await client.lookup(["child"])[0].error == nil)
        }
    }
}
