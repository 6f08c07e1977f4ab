import BackstitchTestKit
import CloudWire
import Foundation

// Zones, records and their feeds.
extension GoldenRun {
    static let zone = #""zoneID":{"zoneName":"Notes"}"#

    static func looking(for names: [String], keys: [String]? = nil) -> String {
        let records = names.map { #"{"recordName":"\#($0)"}"# }.joined(separator: ",")
        let wanted = keys.map { #","desiredKeys":["\#($0.joined(separator: "\",\""))"]"# } ?? ""
        return #"{\#(zone),"records":[\#(records)]\#(wanted)}"#
    }

    /// A request of operations, each of its kind, name, tag and title.
    static func modifying(
        _ operations: [(kind: String, name: String, tag: String?, fields: String)], _ more: String = ""
    ) -> String {
        let items = operations.map { kind, name, tag, fields in
            let tag = tag.map { #","recordChangeTag":"\#($0)""# } ?? ""
            let type = kind.lowercased().contains("delete") ? "" : #","recordType":"Note","fields":{\#(fields)}"#
            return #"{"operationType":"\#(kind)","record":{"recordName":"\#(name)"\#(type)\#(tag)}}"#
        }
        return #"{\#(zone)\#(more),"operations":[\#(items.joined(separator: ","))]}"#
    }

    static func title(_ text: String) -> String { #""title":{"value":"\#(text)","type":"STRING"}"# }

    func zones() async throws {
        func zones(_ operations: [(String, String)]) -> String {
            let items = operations.map {
                #"{"operationType":"\#($0)","zone":{"zoneID":{"zoneName":"\#($1)"}}}"#
            }
            return #"{"operations":[\#(items.joined(separator: ","))]}"#
        }
        try await wire(.changesDatabase, "before all")
        try await wire(.zonesModify, "create", zones([("create", "Notes"), ("create", "Spare"), ("create", "Old")]))
        try await wire(.zonesModify, "create again", zones([("create", "Notes")]))
        let before = try await wire(.changesDatabase, "first")
        try await wire(.zonesModify, "delete", zones([("delete", "Old")]))
        try await wire(
            .zonesModify, "refused", zones([("create", "_x"), ("delete", "_defaultZone"), ("delete", "None")]))
        try await wire(.zonesModify, "reader", zones([("delete", "Spare")]), by: .reader)
        try await wire(.zonesModify, "public", zones([("create", "Notes")]), in: "public")
        try await wire(.zonesModify, "too many", zones((0..<4).map { ("create", "Z\($0)") }))
        try await wire(.zonesModify, "extensions", zones([("create", "Notes")]), extended: true)
        try await wire(.zonesList, "private")
        try await wire(.zonesList, "public", by: .nobody, in: "public")
        try await wire(.zonesList, "shared", in: "shared")
        try await wire(.zonesLookup, "some", #"{"zones":[{"zoneName":"Notes"},{"zoneName":"None"}]}"#)
        try await wire(.changesDatabase, "after a token", #"{"syncToken":"\#(before["syncToken"].text)"}"#)
        try await wire(.changesDatabase, "bad token", #"{"syncToken":"bm9uZQ=="}"#)
        try await wire(.zonesChanges, "first")
    }

    func records() async throws {
        let values = [
            Self.title("Buy thread"), #""done":{"value":false}"#, #""size":{"value":2.5}"#,
            #""when":{"value":1775666233042,"type":"TIMESTAMP"}"#, #""bytes":{"value":"AAEC","type":"BYTES"}"#,
            #""place":{"value":{"latitude":48.1,"longitude":11.5}}"#,
            #""folder":{"value":{"recordName":"B","action":"NONE"}}"#, #""tags":{"value":["a","b"]}"#,
            #""empty":{"value":[],"type":"INT64_LIST"}"#,
        ]
        let made = try await wire(
            .recordsModify, "create",
            Self.modifying([
                ("create", "A", nil, values.joined(separator: ",")), ("create", "B", nil, Self.title("B")),
                ("create", "", nil, Self.title("named by the server")),
            ]))
        clock.advance(by: 1_000)
        let first = try made["records"][0]["recordChangeTag"].text
        let updated = try await wire(
            .recordsModify, "update", Self.modifying([("update", "A", first, Self.title("Buy yarn"))]))
        try await wire(
            .recordsModify, "conflict", Self.modifying([("update", "A", first, Self.title("Buy wool"))]))
        try await wire(
            .recordsModify, "conflict with extensions",
            Self.modifying([("update", "A", first, Self.title("Buy wool"))]), extended: true)
        try await wire(.recordsModify, "create again", Self.modifying([("create", "A", nil, "")]))
        try await wire(
            .recordsModify, "atomic",
            Self.modifying([("forceUpdate", "B", nil, Self.title("C")), ("update", "never", "1", "")]))
        try await wire(
            .recordsModify, "not atomic",
            Self.modifying(
                [("forceUpdate", "B", nil, Self.title("C")), ("delete", "never", "1", "")], #","atomic":false"#))
        try await wire(.recordsModify, "force update", Self.modifying([("forceUpdate", "A", nil, #""size":{}"#)]))
        let tag = try updated["records"][0]["recordChangeTag"].text
        try await wire(.recordsModify, "replace", Self.modifying([("replace", "A", tag, Self.title("late"))]))
        try await wire(
            .recordsModify, "force replace",
            Self.modifying([("forceReplace", "A", nil, #""n":{"value":7},"f":{"value":7,"type":"DOUBLE"}"#)]))
        try await wire(
            .recordsModify, "numbers as strings",
            Self.modifying([("forceUpdate", "A", nil, #""n":{"value":8}"#)], #","numbersAsStrings":true"#))
        try await wire(
            .recordsModify, "names alone",
            Self.modifying([("forceUpdate", "A", nil, "")], #","desiredKeys":[],"getCurrentSyncToken":true"#))
        try await wire(
            .recordsModify, "validating reference",
            Self.modifying([
                ("create", "V", nil, #""to":{"value":{"recordName":"none","action":"VALIDATE"}}"#)
            ]))
        try await wire(
            .recordsModify, "bad items",
            #"{\#(Self.zone),"atomic":false,"operations":[{"operationType":"grow","record":{"recordName":"X"}},"#
                + #"{"operationType":"create","record":{"recordName":"_y","recordType":"Note"}},7]}"#)
        try await wire(
            .recordsModify, "nowhere",
            Self.modifying([("create", "A", nil, "")]).replacingOccurrences(
                of: "Notes", with: "Nowhere"))
        try await wire(.recordsModify, "reader", Self.modifying([("forceDelete", "A", nil, "")]), by: .reader)
        try await wire(.recordsModify, "create broken", Self.modifying([("create", "broken", nil, Self.title("x"))]))
        try await feeds()
    }

    private func feeds() async throws {
        try await wire(.recordsLookup, "some", Self.looking(for: ["A", "none"]))
        try await wire(.recordsLookup, "desired keys", Self.looking(for: ["A"], keys: ["n"]))
        try await wire(
            .recordsLookup, "nowhere",
            Self.looking(for: ["A"]).replacingOccurrences(of: "Notes", with: "Nowhere"))
        let page = try await wire(.changesZone, "first page", #"{"zones":[{\#(Self.zone)}],"resultsLimit":2}"#)
        let token = try page["zones"][0]["syncToken"].text
        try await wire(
            .recordsModify, "create another", Self.modifying([("create", "D", nil, "")]))
        // A separate commit: the storages differ in the order of several records within one.
        try await wire(.recordsModify, "force delete", Self.modifying([("forceDelete", "B", nil, "")]))
        try await wire(.recordsModify, "force delete again", Self.modifying([("forceDelete", "B", nil, "")]))
        let following = #"{\#(Self.zone),"syncToken":"\#(token)"}"#
        try await wire(.changesZone, "after a token", #"{"zones":[\#(following)]}"#)
        try await wire(.changesZone, "extensions", #"{"zones":[\#(following)]}"#, extended: true)
        try await wire(
            .changesZone, "refused",
            #"{"zones":[{\#(Self.zone),"syncToken":"bm9uZQ=="},{"zoneID":{"zoneName":"Nowhere"}},"#
                + #"{"zoneID":{"zoneName":"_defaultZone"}}]}"#)
        try await wire(.recordsChanges, "after a token", following)
        try await wire(.recordsChanges, "nowhere", #"{"zoneID":{"zoneName":"Nowhere"}}"#)
    }

    func queries() async throws {
        try await wire(
            .recordsModify, "to query",
            Self.modifying((0..<5).map { ("create", "q\($0)", nil, #""rank":{"value":\#($0 % 3)}"#) }))
        let filter = #"{"comparator":"LESS_THAN","fieldName":"rank","fieldValue":{"value":2,"type":"INT64"}}"#
        func query(_ more: String) -> String {
            #"{\#(Self.zone),"query":{"recordType":"Note","filterBy":[\#(filter)],"#
                + #""sortBy":[{"fieldName":"rank","ascending":false}]},"resultsLimit":3\#(more)}"#
        }
        let page = try await wire(.recordsQuery, "first page", query(""))
        let marker = try page["continuationMarker"].text
        try await wire(.recordsQuery, "last page", query(#","continuationMarker":"\#(marker)""#))
        try await wire(
            .recordsQuery, "marker of another query",
            #"{\#(Self.zone),"query":{"recordType":"Note"},"continuationMarker":"\#(marker)"}"#)
        try await wire(
            .recordsQuery, "with a token", query(#","desiredKeys":["rank"],"getCurrentSyncToken":true"#))
        try await wire(.recordsQuery, "public", #"{"query":{"recordType":"News"}}"#, by: .nobody, in: "public")
        try await wire(
            .recordsQuery, "not queryable", #"{"query":{"recordType":"Note","filterBy":[\#(filter)]}}"#,
            environment: "production")
        try await followed()
    }

    /// Changes of the public database that queries are about.
    private func followed() async throws {
        let queries =
            #""queries":[{"recordType":"Note","filterBy":[{"comparator":"LESS_THAN","#
            + #""fieldName":"rank","fieldValue":{"value":2,"type":"INT64"}}]}]"#
        let start = try await wire(.changesQuery, "from now", "{\(queries)}", in: "public")
        let token = try start["syncToken"].text
        func modify(_ name: String, _ kind: String, _ record: String, _ rank: Int?) async throws {
            let fields = rank.map { #""rank":{"value":\#($0)}"# } ?? ""
            let body = Self.modifying([(kind, record, nil, fields)]).replacingOccurrences(of: "\(Self.zone),", with: "")
            try await wire(.recordsModify, name, body, in: "public")
        }
        try await modify("public", "create", "p1", 1)
        try await modify("public without a match", "create", "p2", 3)
        try await modify("public to delete", "create", "p3", 1)
        try await modify("public deletion", "forceDelete", "p3", nil)
        try await wire(
            .changesQuery, "after a token", #"{\#(queries),"syncToken":"\#(token)"}"#, by: .nobody, in: "public")
        try await wire(.changesQuery, "refused", #"{\#(queries),"syncToken":"bm9uZQ=="}"#, in: "public")
        try await wire(.changesQuery, "private", "{\(queries)}")
    }
}
