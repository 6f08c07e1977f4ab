import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Fields that the server alone decides are never taken from a request.
@Suite("the server's own fields") struct ServerFieldTests {
    private static let stamp = #"{"timestamp":1,"userRecordName":"_eve","deviceID":"eve"}"#

    /// Keys of a record that belong to the server, with values attractive to an attacker.
    private static let keys = [
        #""created":\#(stamp)"#, #""modified":\#(stamp)"#, #""deleted":true"#, #""recordChangeTag":"zzz""#,
        #""share":{"recordName":"S"}"#, #""shortGUID":"0""#, #""publicPermission":"READ_WRITE""#,
        #""participants":[]"#, #""owner":{"userIdentity":{"userRecordName":"_eve"}}"#, #""sequence":1"#,
        #""createdBy":"_eve""#, #""tenant_id":7"#, #""zone_id":7"#, #""history":1"#, #""serverRecord":{}"#,
        #""currentUserParticipant":{"permission":"READ_WRITE"}"#, #""flags":255"#,
    ]

    @Test("a record bears the stamps of who made it, whatever it says itself", arguments: StorageKind.allCases)
    func ownFields(_ kind: StorageKind) async throws {
        let clock = VirtualClock()
        try await withServer(on: kind, { $0.clock = clock }) { client, _ in
            let alice = client.user("_alice")
            try await alice.makeZone()
            for (number, key) in Self.keys.enumerated() {
                for operation in ["create", "forceReplace"] {
                    let record = #"{"recordName":"r\#(number)","recordType":"Item","fields":{},\#(key)}"#
                    let answer = try await alice.raw(
                        .recordsModify,
                        #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"\#(operation)","record":\#(record)}]}"#
                    )
                    #expect(answer.status == 200 && !answer.text.contains("serverErrorCode"), "\(key): \(answer.text)")
                }
                let found = try await alice.lookup(["r\(number)"])[0].record()
                let stamp = WireStamp(
                    timestamp: clock.milliseconds(), userRecordName: "_alice", deviceID: WireStamp.unnamedDevice)
                #expect(found.created == stamp && found.modified == stamp, "\(key): \(found)")
                #expect(found.recordChangeTag != "zzz" && !found.deleted && found.fields.isEmpty, "\(key): \(found)")
                #expect(found.zoneID?.ownerRecordName == "_alice")
            }
            // A field with such a name is refused.
            for name in ["___createdBy", "_owner", "___etag"] {
                let refused = try await alice.modify([create("x", [name: .string("_eve")])])
                #expect(refused[0].error?.code == .badRequest, "\(name)")
            }
        }
    }

    @Test("keys around a request give nobody another place, user or right", arguments: StorageKind.allCases)
    func envelopes(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            let alice = client.user("_alice"), eve = client.user("_eve")
            try await alice.makeZone()
            try await alice.save("secret", ["title": .string("canary")])
            let claims =
                #""user":"_alice","userRecordName":"_alice","owner":"_alice","ownerRecordName":"_alice","tenant":1,"#
                + #""database":"private","scope":2,"roles":["_creator"],"isAdmin":true,"ckWebAuthToken":"_alice""#
            let zone = #""zoneID":{"zoneName":"Z","ownerRecordName":"_alice","zoneType":"REGULAR_CUSTOM_ZONE"}"#
            for endpoint in WireEndpoint.allCases {
                for database in ["private", "public", "shared"] {
                    let body =
                        #"{\#(claims),\#(zone),"zones":[{\#(zone)}],"records":[{"recordName":"secret",\#(zone)}],"#
                        + #""query":{"recordType":"Item"},"zoneWide":true,"assets":[],"tokens":[],"users":[],"#
                        + #""lookupInfos":[],"subscriptions":[],"operations":[]}"#
                    let answer = try await eve.on(database).raw(endpoint, body)
                    #expect(!answer.text.contains("canary"), "\(endpoint) \(database): \(answer.text)")
                    #expect(answer.status != 500, "\(endpoint) \(database): \(answer.text)")
                }
            }
        }
    }
}
