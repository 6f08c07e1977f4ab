import BackstitchSupport
import CloudWire
import Foundation
import NIOHTTP1

@testable import BackstitchServer

// Assets, subscriptions, users, and requests that fail as a whole.
extension GoldenRun {
    func assets() async throws {
        let place = #"{"recordName":"P","recordType":"Note","fieldName":"photo"}"#
        let given = try await wire(
            .assetsUpload, "two", #"{\#(Self.zone),"tokens":[\#(place),{"fieldName":"_x"}]}"#)
        let url = try given["tokens"][0]["url"].text
        let sent = try await address(.upload, "bytes", url, method: .POST, "a picture")
        try await address(.upload, "altered", url.replacingOccurrences(of: "ticket=", with: "ticket=A"), method: .POST)
        let value = #""photo":{"value":\#(try sent["singleFile"].json),"type":"ASSETID"}"#
        let saved = try await wire(.recordsModify, "asset", Self.modifying([("create", "P", nil, value)]))
        let download = try saved["records"][0]["fields"]["photo"]["value"]["downloadURL"].text
        try await address(.download, "whole", download)
        try await address(.download, "altered", download + "A")
        let again = try await wire(
            .assetsRereference, "some",
            #"{\#(Self.zone),"assets":[{"recordName":"P","fieldName":"photo"},"#
                + #"{"recordName":"P","fieldName":"title"},{"recordName":"none","fieldName":"photo"},{}]}"#)
        let other = #""picture":{"value":\#(try again["assets"][0].json)}"#
        try await wire(.recordsModify, "asset of another record", Self.modifying([("create", "P2", nil, other)]))
        try await wire(.assetsRereference, "nowhere", #"{"zoneID":{"zoneName":"Nowhere"},"assets":[]}"#)
        try await wire(
            .recordsModify, "asset without receipt",
            Self.modifying([("create", "P3", nil, value.replacingOccurrences(of: "receipt", with: "ticket"))]))
    }

    /// An upload that is interrupted and continued.
    func partialUploads() async throws {
        let content = "a film"
        func token(_ size: Int?) -> String {
            let checksum = AssetChecksum(contentOf: Array(content.utf8)).wire
            let end = size.map { #","size":\#($0)"# } ?? ""
            return #"{"recordName":"P4","fieldName":"film","fileChecksum":"\#(checksum)"\#(end)}"#
        }
        let given = try await wire(
            .assetsUpload, "announced", #"{\#(Self.zone),"tokens":[\#(token(6)),\#(token(nil)),\#(token(-1))]}"#)
        let url = try given["tokens"][0]["url"].text
        func patch(_ name: String, _ body: String, at offset: Int) async throws {
            try await address(
                .upload, name, url, method: .PATCH, body, headers: [WireHeader.uploadOffset: String(offset)])
        }
        try await patch("part", "a f", at: 0)
        try await address(.upload, "how much", url, method: .HEAD)
        try await patch("other place", "ilm", at: 5)
        try await patch("too much", "ilms", at: 3)
        try await patch("last part", "ilm", at: 3)
    }

    func subscriptions() async throws {
        func modifying(_ kind: String, _ subscriptions: [String]) -> String {
            let items = subscriptions.map { #"{"operationType":"\#(kind)","subscription":{\#($0)}}"# }
            return #"{"operations":[\#(items.joined(separator: ","))]}"#
        }
        let query =
            #""subscriptionID":"query","subscriptionType":"query",\#(Self.zone),"query":{"recordType":"Note","#
            + #""filterBy":[{"comparator":"EQUALS","fieldName":"rank","fieldValue":{"value":9,"type":"INT64"}}]}"#
        let zone = #""subscriptionID":"zone","subscriptionType":"zone",\#(Self.zone)"#
        let all = #""subscriptionID":"all","subscriptionType":"database""#
        let info = #","notificationInfo":{"alertBody":"New","shouldSendContentAvailable":true}"#
        try await wire(.subscriptionsModify, "create", modifying("create", [query + info, zone, all]))
        try await wire(.subscriptionsModify, "create again", modifying("create", [query + info]))
        try await wire(.subscriptionsModify, "exists", modifying("create", [query]))
        try await wire(
            .subscriptionsModify, "update", modifying("update", [query + #","firesOn":["create"]"#]))
        try await wire(
            .subscriptionsModify, "refused",
            modifying(
                "create",
                [
                    #""subscriptionID":"q","subscriptionType":"query""#,
                    #""subscriptionID":"z","subscriptionType":"zone","zoneID":{"zoneName":"Nowhere"}"#,
                    #""subscriptionID":"u","subscriptionType":"user""#,
                ]))
        try await wire(.subscriptionsModify, "reader", modifying("delete", [all]), by: .reader)
        try await wire(.subscriptionsList, "all")
        try await wire(
            .subscriptionsLookup, "some", #"{"subscriptions":[{"subscriptionID":"zone"},{"subscriptionID":"none"}]}"#)
        let token = try await wire(.tokensCreate, "new", #"{"apnsEnvironment":"development"}"#)
        let registration = #"{"apnsEnvironment":"development","apnsToken":"\#(try token["apnsToken"].text)"}"#
        try await wire(.tokensRegister, "again", registration)
        try await wire(.tokensRegister, "unknown", #"{"apnsToken":"1-AAAA"}"#)
        try await wire(.tokensCreate, "reader", by: .reader)
        let url = try token["webcourierURL"].text + "&wait=0"
        try await wire(
            .recordsModify, "told", Self.modifying([("create", "T", nil, #""rank":{"value":9,"type":"INT64"}"#)]))
        for name in ["database", "zone", "query", "nothing"] { try await address(.poll, name, url) }
        try await address(.poll, "unknown token", "/aps?tok=1-AAAA")
        let names = ["query", "zone", "all", "none"].map { #""subscriptionID":"\#($0)""# }
        try await wire(.subscriptionsModify, "delete", modifying("delete", names))
        try await wire(.tokensUnregister, "of a client", #"{"clientId":"golden"}"#)
    }

    func people() async throws {
        for caller in [Caller.alice, .bob] { try await wire(.usersCaller, caller.rawValue, by: caller, in: "public") }
        try await wire(.usersCurrent, "alice")
        let bob = #"{"emailAddress":"bob@example.org"}"#, nobody = #"{"userRecordName":"_nobody"}"#
        try await wire(.usersDiscover, "some", #"{"lookupInfos":[\#(bob),\#(nobody)]}"#, in: "public")
        try await wire(.usersLookupEmail, "some", #"{"users":[\#(bob)]}"#, in: "public")
        try await wire(.usersLookupID, "some", #"{"users":[{"userRecordName":"_bob"},\#(nobody)]}"#, in: "public")
        try await wire(.usersLookupContacts, "none", in: "public")
        try await address(.health, "well", "/health")
        try await address(.ready, "well", "/ready")
    }

    func refusals() async throws {
        try await unknown("none", "/database/1/iCloud.golden/development/private/zones")
        try await address(.signIn, "without a provider", "/auth/oidc", method: .POST, #"{"idToken":"none"}"#)
        try await wire(.zonesList, "without an API token", by: .withoutToken)
        try await wire(.zonesList, "without a user", by: .nobody)
        try await wire(.zonesList, "unknown user", by: .stranger)
        try await wire(.zonesList, "other container", container: "iCloud.other")
        try await wire(.zonesList, "other environment", environment: "staging")
        try await wire(.recordsLookup, "no JSON", #"{"records":[}"#)
        try await wire(.recordsLookup, "without records", "{}")
        try await wire(.recordsLookup, "too many", Self.looking(for: (0...200).map { "\($0)" }))
        try await wire(
            .recordsModify, "quota exceeded",
            Self.modifying((0...40).map { ("create", "m\($0)", nil, "") })
                .replacingOccurrences(of: Self.zone + ",", with: ""), by: .bob, in: "public")
    }
}
