import CloudWire
import Testing

@testable import BackstitchServer

@Suite("the public database") struct PublicRolesTests {
    private func withUsers(
        _ change: @escaping (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (_ alice: TestClient, _ bob: TestClient, _ world: TestClient) async throws -> Void
    ) async throws {
        try await withServer({
            $0.apiTokens = [TokenDigest(of: strong("api"))]
            $0.users = ["alice", "bob"].map { .init(userRecordName: "_\($0)", webAuthToken: strong($0)) }
            change(&$0)
        }) { client, _ in
            var world = client.on("public")
            world.query = "ckAPIToken=\(strong("api"))"
            var alice = world, bob = world
            alice.bearer = strong("alice")
            bob.bearer = strong("bob")
            try await body(alice, bob, world)
        }
    }

    @Test("users/caller has the caller's rights by type, for callers with extensions only")
    func toldRights() async throws {
        try await withUsers({ configuration in
            let areSet =
                configuration.publicRoles.set("Wiki:_world=read;_icloud=create,write")
                && configuration.publicRoles.set("Notice:_world=read")
            #expect(areSet)
        }) { alice, _, _ in
            let plain: UserIdentity = try await alice.call(.usersCaller, EmptyBody())
            #expect(plain == UserIdentity(userRecordName: "_alice"))
            let told: UserIdentity = try await alice.extended().call(.usersCaller, EmptyBody())
            #expect(
                told.publicRights == [
                    .init(recordType: nil, mayCreate: true, mayChangeOwn: true, mayChangeOthers: false),
                    .init(recordType: "Notice", mayCreate: false, mayChangeOwn: false, mayChangeOthers: false),
                    .init(recordType: "Wiki", mayCreate: true, mayChangeOwn: true, mayChangeOthers: true),
                ])
        }
    }

    @Test(
        "who made a record changes and deletes it; others read it, and can neither change nor delete it by any operation"
    )
    func creator() async throws {
        try await withUsers { alice, bob, world in
            let made = try await alice.save("news", ["title": .string("hello")], zone: nil)
            let tag = try #require(made.recordChangeTag)
            // With extensions, a refusal could contain the record.
            let bob = bob.extended()
            for kind in RecordOperation.Kind.allCases where kind != .create {
                let results = try await bob.modify(
                    [operation(kind, "news", tag: tag, ["title": .string("bob's")])], zone: nil)
                #expect(results.map(\.error?.code) == [.accessDenied], "\(kind)")
                #expect(results[0].failure?.serverRecord == nil)
            }
            let taken = try await bob.modify([create("news")], zone: nil)[0].failure
            #expect(taken?.error.code == .conflict && taken?.serverRecord?.value("title") == .string("hello"))
            for reader in [alice, bob, world] {
                #expect(try await reader.lookup(["news"], zone: nil)[0].record().value("title") == .string("hello"))
            }
            try await alice.save(.forceUpdate, "news", ["title": .string("again")], zone: nil)
            try await alice.save(.forceDelete, "news", zone: nil)
            // Anyone may use a free name.
            try await bob.save("news", ["title": .string("bob's")], zone: nil)
            #expect(
                try await alice.modify([operation(.forceDelete, "news")], zone: nil).map(\.error?.code) == [
                    .accessDenied
                ])
        }
    }

    @Test("each record type may have rights of its own")
    func configured() async throws {
        try await withUsers({ configuration in
            for rule in [
                "Wiki:_world=read;_icloud=create,write", "Diary:_icloud=create;_creator=write", "Notice:_world=read",
            ] {
                let isSet = configuration.publicRoles.set(rule)
                #expect(isSet)
            }
        }) { alice, bob, world in
            func make(_ client: TestClient, _ name: String, _ type: String) async throws -> WireErrorCode? {
                let record = WireRecord(recordName: name, recordType: type, fields: ["title": .string("x")])
                return try await client.modify([RecordOperation(.create, record)], zone: nil)[0].error?.code
            }
            #expect(try await make(alice, "page", "Wiki") == nil)
            #expect(try await make(alice, "diary", "Diary") == nil)
            #expect(try await make(alice, "notice", "Notice") == .accessDenied)
            #expect(try await bob.modify([operation(.forceUpdate, "page", type: "Wiki")], zone: nil)[0].error == nil)
            #expect(try await world.lookup(["page"], zone: nil)[0].error == nil)
            for reader in [bob, world] {
                #expect(try await reader.lookup(["diary"], zone: nil)[0].error?.code == .accessDenied)
            }
            #expect(try await alice.lookup(["diary"], zone: nil)[0].error == nil)
            // Others learn only that the record is there. A user who may read it gets it with the conflict.
            func conflict(_ client: TestClient, _ name: String, _ type: String) async throws -> RecordError? {
                try await client.extended().modify([operation(.create, name, type: type)], zone: nil)[0].failure
            }
            let taken = try await conflict(bob, "diary", "Diary")
            #expect(taken?.error.code == .conflict && taken?.serverRecord == nil)
            for (reader, name, type) in [(alice, "diary", "Diary"), (alice, "page", "Wiki"), (bob, "page", "Wiki")] {
                let shown = try await conflict(reader, name, type)
                #expect(shown?.error.code == .conflict && shown?.serverRecord?.value("title") == .string("x"))
            }
        }
    }

    @Test(
        "a rule that cannot be read is refused whole",
        arguments: ["", "Note", "Note:_world", "Note:_world=fly", "Note:_nobody=read", "1:_world=read", ":_world=read"])
    func malformed(_ text: String) {
        var roles = PublicRoles()
        let isSet = roles.set(text)
        #expect(!isSet)
        #expect(roles == PublicRoles())
    }

    @Test(
        "encrypted values are refused by field, in each database, and nothing of their record is kept",
        arguments: [
            #"{"value":"QQ==","type":"BYTES","isEncrypted":true}"#, #"{"value":"x","type":"ENCRYPTED_STRING"}"#,
            #"{"isEncrypted":true,"value":"x"}"#, #"{"value":["x"],"type":"ENCRYPTED_STRING_LIST"}"#,
        ])
    func encrypted(_ field: String) async throws {
        try await withUsers { alice, _, _ in
            let privately = alice.on("private")
            try await privately.makeZone()
            for (client, zone) in [(alice, #"{"zoneName":"_defaultZone"}"#), (privately, #"{"zoneName":"Z"}"#)] {
                let record = #"{"recordName":"r","recordType":"Item","fields":{"a":{"value":1},"secret":\#(field)}}"#
                let body = #"{"zoneID":\#(zone),"operations":[{"operationType":"create","record":\#(record)}]}"#
                let path = WireEndpoint.recordsModify.path(
                    container: "iCloud.test", environment: "development", database: client.database)
                let answer = try await RecordsResponse(wireJSON: client.raw(path, Array(body.utf8)).body)
                #expect(answer.records[0].error?.code == .badRequest)
                #expect(answer.records[0].error?.reason.contains("'secret'") == true)
                let name = client.database == "public" ? nil : "Z"
                #expect(try await client.lookup(["r"], zone: name)[0].error?.code == .notFound)
            }
        }
    }
}
