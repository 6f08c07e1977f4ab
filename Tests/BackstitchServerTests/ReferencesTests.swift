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

    @Test(
        "hundreds of references to nothing are refused in one pass, however long the chain of those that stand on them")
    func manyMissing() async throws {
        try await withServer { plain, server in
            let client = plain.extended()
            try await client.makeZone()
            let statements = try await StatementCount(server)
            // Each stands on the next one, and the last on nothing.
            let chain = (0..<1_500).map { create("c\($0)", link("c\($0 + 1)", .validate)) }
            let start = ContinuousClock.now
            let results = try await client.modify(chain + [create("free")], atomic: false)
            print("counted: a chain of \(chain.count) references to nothing took \(ContinuousClock.now - start)")
            #expect(results.dropLast().allSatisfy { $0.error?.code == .validatingReferenceError })
            #expect(results.last?.error == nil)
            #expect(start.duration(to: .now) < .seconds(20))
            // The targets are looked up together.
            let count = statements.take()
            #expect((1..<60).contains(count), "\(count) statements")
        }
    }

    @Test("what many records referred to goes by one statement, with the last of it")
    func linksTogether() async throws {
        try await withServer { plain, server in
            let client = plain.extended()
            try await client.makeZone()
            let names = (0..<40).map { "c\($0)" }
            try await client.modify([create("a"), create("b")])
            try await client.modify(names.map { create($0, link("a", .deleteSelf)) })
            let statements = try await StatementCount(server)
            try await client.modify(names.map { operation(.forceReplace, $0, link("b", .deleteSelf)) })
            let all = statements.takeAll()
            #expect(all.count { $0.contains("DELETE FROM reference") } == 1)
            try await client.modify([operation(.forceDelete, "a")])
            #expect(try await client.lookup(names).allSatisfy { $0.error == nil })
            try await client.modify([operation(.forceDelete, "b")])
            #expect(try await client.lookup(names).allSatisfy { $0.error?.code == .notFound })
        }
    }

    @Test(
        "a record has 1,024 references with an action at most, and any number without", arguments: StorageKind.allCases)
    func mostOfRecord(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            func list(_ count: Int, _ action: WireReference.Action) -> [String: WireValue?] {
                ["links": .referenceList((0..<count).map { WireReference(recordName: "t\($0)", action: action) })]
            }
            try await client.save("free", list(3_000, .none))
            try await client.save("A", list(1_024, .deleteSelf))
            for count in [1_025, 10_000] {
                let refused = try await client.modify([create("B", list(count, .deleteSelf))])[0].error
                #expect(refused?.isLimitExceeded == true, "\(String(describing: refused))")
                #expect(refused?.reason.contains("'B' has \(count) references") == true)
            }
            let further = try await client.modify([operation(.forceUpdate, "A", link("x", .validate))])[0].error
            #expect(further?.isLimitExceeded == true)
            try await client.save(.forceUpdate, "A", ["title": .string("t")])
        }
    }

    @Test(
        "a request has 20,000 references with an action at most, and adds to 2,000 families",
        arguments: StorageKind.allCases)
    func mostOfRequest(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            func saves(_ records: Int, of each: Int, _ action: WireReference.Action) -> [RecordOperation] {
                (0..<records).map { record in
                    let links = (0..<each).map {
                        WireReference(recordName: "t\(record * each + $0)", action: action)
                    }
                    return create("r\(record)", ["links": .referenceList(links)])
                }
            }
            for (tooMany, reason) in [
                (saves(21, of: 1_000, .validate), "21000 references with an action, at most 20000"),
                (saves(3, of: 700, .deleteSelf), "2100 new targets of references with DELETE_SELF, at most 2000"),
            ] {
                let error = await expectFailure(.badRequest) { try await client.modify(tooMany) }
                #expect(error?.isLimitExceeded == true && error?.reason.contains(reason) == true)
            }
            #expect(try await client.modify(saves(2, of: 700, .deleteSelf)).allSatisfy { $0.error == nil })
        }
    }

    @Test("a save that many full families refuse costs one count of them, and reads none of their members")
    func fullFamilies() async throws {
        try await withServer { plain, server in
            let client = plain.extended()
            try await client.makeZone()
            let links = (0..<5).map { WireReference(recordName: "t\($0)", action: .deleteSelf) }
            let fields: [String: WireValue?] = ["links": .referenceList(links)]
            #expect(
                try await client.modify((0..<750).map { create("s\($0)", fields) }).allSatisfy { $0.error == nil })
            let statements = try await StatementCount(server)
            #expect(try await client.modify([create("more", fields)])[0].error?.isLimitExceeded == true)
            #expect(statements.takeAll().count { $0.contains("FROM reference") } == 1)
            // Members ask for nothing, however full their families are.
            try await client.save(.forceUpdate, "s1", ["title": .string("t")])
            #expect(!statements.takeAll().contains { $0.contains("count(*) FROM") && $0.contains("FROM reference") })
        }
    }

    @Test("at most 750 records refer to one with DELETE_SELF; those that do may be saved again")
    func largestFamily() async throws {
        try await withServer { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            try await client.save("root")
            let family = (0..<750).map { create("s\($0)", link("root", .deleteSelf)) }
            #expect(try await client.modify(family).allSatisfy { $0.error == nil })
            let oneMore = try await client.modify([create("more", link("root", .deleteSelf))])
            #expect(oneMore[0].error?.code == .badRequest)
            #expect(oneMore[0].error?.reason.hasPrefix(WireError.limitExceededPrefix) == true)
            #expect(oneMore[0].error?.reason.contains("'root'") == true)
            let again = try await client.modify([operation(.forceReplace, "s7", link("root", .deleteSelf))])
            #expect(again[0].error == nil)
            let exchange = try await client.modify([
                operation(.forceDelete, "s8"), create("more", link("root", .deleteSelf)),
                create("tooMany", link("root", .deleteSelf)),
            ])
            #expect(exchange.map { $0.error?.code } == [.atomicError, .atomicError, .badRequest])
            let half = try await client.modify(
                [
                    operation(.forceDelete, "s8"), create("more", link("root", .deleteSelf)),
                    create("tooMany", link("root", .deleteSelf)),
                ], atomic: false)
            #expect(half.map { $0.error?.code } == [nil, nil, .badRequest])
        }
    }

    @Test(
        "what goes with a deletion and is more than a page holds goes in commits of its own before it, what is farthest first"
    )
    func largeCascade() async throws {
        try await withServer({ $0.extendedLimits.page = 100 }) { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            try await client.save("root")
            try await client.modify((0..<150).map { create("near\($0)", link("root", .deleteSelf)) })
            try await client.modify((0..<200).map { create("far\($0)", link("near\($0 % 150)", .deleteSelf)) })
            var token = try await client.follow().token
            try await client.save(.forceDelete, "root")
            var pages: [[WireRecord]] = []
            while true {
                let page = try await client.page(token, limit: 10)
                pages.append(page.records)
                token = page.syncToken
                if !page.moreComing { break }
            }
            #expect(pages.allSatisfy { $0.count <= 100 })
            #expect(pages.flatMap { $0 }.count == 351)
            #expect(pages.last?.contains { $0.recordName == "root" } == true)
            // No client sees a record whose parent is deleted.
            let order = Dictionary(
                uniqueKeysWithValues: pages.enumerated().flatMap { page in
                    page.element.map { ($0.recordName, page.offset) }
                })
            for number in 0..<200 {
                let far = try #require(order["far\(number)"]), near = try #require(order["near\(number % 150)"])
                #expect(far <= near)
            }
            #expect(try await client.lookup(["far3", "near3", "root"]).allSatisfy { $0.error?.code == .notFound })
        }
    }

    @Test("a deletion that takes thousands with it is refused, and changes nothing")
    func tooLargeCascade() async throws {
        try await withServer { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            try await client.modify([create("root")] + (0..<700).map { create("a\($0)", link("root", .deleteSelf)) })
            for part in 0..<3 {
                try await client.modify(
                    (0..<1_400).map { create("b\(part)/\($0)", link("a\($0 % 700)", .deleteSelf)) })
            }
            let refused = try await client.modify([operation(.forceDelete, "root")])
            #expect(refused[0].error?.code == .badRequest)
            #expect(refused[0].error?.reason.hasPrefix(WireError.limitExceededPrefix) == true)
            #expect(try await client.lookup(["root", "a0", "b0/0"]).allSatisfy { $0.error == nil })
            try await client.save(.forceDelete, "a0")
            #expect(try await client.lookup(["b0/0"])[0].error?.code == .notFound)
        }
    }

    @Test(
        "a demand from what goes along holds nothing up, and one from what stays holds up all that would take its target"
    )
    func demandsAmongTheDeleted() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.modify([
                create("root"), create("child", link("root", .deleteSelf)),
                create(
                    "both",
                    [
                        "to": .reference(.init(recordName: "root", action: .deleteSelf)),
                        "needs": .reference(.init(recordName: "child", action: .validate)),
                    ]),
                create("other"), create("ward", link("other", .deleteSelf)), create("keeper", link("ward", .validate)),
            ])
            let results = try await client.modify(
                [operation(.forceDelete, "root"), operation(.forceDelete, "other")], atomic: false)
            #expect(results.map { $0.error?.code } == [nil, .validatingReferenceError])
            #expect(try await client.lookup(["child", "both"]).allSatisfy { $0.error?.code == .notFound })
            #expect(try await client.lookup(["other", "ward", "keeper"]).allSatisfy { $0.error == nil })
            // A demand that is made in the same request counts as well.
            try await client.save(.forceDelete, "keeper")
            let atOnce = try await client.modify([
                operation(.forceDelete, "other"), create("new keeper", link("ward", .validate)),
            ])
            #expect(atOnce.map { $0.error?.code } == [.validatingReferenceError, .atomicError])
        }
    }
}
