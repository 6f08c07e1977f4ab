import BackstitchSQL
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("failures of the server") struct InternalErrorTests {
    @Test(
        "are INTERNAL_ERROR, and tell the caller nothing of the storage but the name under which the log knows more",
        arguments: StorageKind.allCases)
    func causes(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, server in
            try await client.makeZone()
            try await client.save("broken", ["title": .string("x")])
            let device = try await WaitingDevice(client)
            let storage = try server.working.context.storage
            func spoil(_ text: SQLText) async throws {
                _ = try await storage.write { writing in
                    try writing.execute(text)
                }
            }
            try await spoil("UPDATE record SET fields = \(Array("{\"title\":".utf8)) WHERE name = 'broken'")
            let body = #"{"zoneID":{"zoneName":"Z"},"records":[{"recordName":"broken"}],"desiredKeys":["title"]}"#
            try await expectSilence(client.raw(.recordsLookup, body))
            // Others of the same request are none the worse for it.
            let saved = try await client.modify(
                [operation(.forceUpdate, "broken", ["n": .int64(1)]), create("whole")], atomic: false)
            #expect(saved[0].error?.code == .internalError && saved[1].error == nil)
            expectSilence(try #require(saved[0].error))
            try await spoil("DROP TABLE subscription")
            try await expectSilence(client.raw(.subscriptionsList, "{}"))
            // A change is made even if its notification fails.
            try await device.client.save("other")
            #expect(try await client.lookup(["other"])[0].error == nil)
        }
    }

    private func expectSilence(_ answer: TestAnswer) throws {
        #expect(answer.status == 500, "\(answer.text)")
        let error = try WireError(wireJSON: answer.body)
        let id = try #require(error.uuid)
        #expect(error.code == .internalError)
        #expect(error.reason == "the server failed; its log has the details under \(id)")
        expectSilence(error)
    }

    private func expectSilence(_ error: WireError) {
        for word in ["SELECT", "table", "subscription", "sqlite", "column", "title", "/"] {
            #expect(!error.reason.contains(word), "\(error)")
        }
    }
}
