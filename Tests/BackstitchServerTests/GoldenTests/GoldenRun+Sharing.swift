import CloudWire

@testable import BackstitchServer

// A shared zone: its share, the guest's way to it, and the guest in it.
extension GoldenRun {
    func sharing() async throws {
        func share(_ operation: String, _ rest: String) -> String {
            let record =
                #"{"recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","#
                + #""fields":{"cloudkit.title":{"value":"Notes"}}\#(rest)}"#
            return #"{\#(Self.zone),"operations":[{"operationType":"\#(operation)","record":\#(record)}]}"#
        }
        let bob =
            #"{"type":"USER","permission":"READ_WRITE","acceptanceStatus":"INVITED","#
            + #""userIdentity":{"lookupInfo":{"emailAddress":"bob@example.org"}}}"#
        let made = try await wire(
            .recordsModify, "share",
            share("create", #","publicPermission":"NONE","participants":[\#(bob)]"#))
        try await wire(
            .recordsModify, "share of a zone for a record", share("create", #","forRecord":{"recordName":"N1"}"#))
        let guid = #"{"value":"\#(try made["records"][0]["shortGUID"].text)"}"#
        let body = #"{"shortGUIDs":[\#(guid)]}"#
        try await wire(.recordsResolve, "own", body, in: "public")
        try await wire(.recordsResolve, "invited", body, by: .bob, in: "public")
        try await wire(.recordsResolve, "unknown", #"{"shortGUIDs":[{"value":"none"},\#(guid)]}"#, in: "public")
        try await wire(.recordsAccept, "unknown", #"{"shortGUIDs":[{"value":"none"}]}"#, by: .bob, in: "public")
        try await wire(.recordsAccept, "invited", body, by: .bob, in: "public")
        try await wire(.zonesList, "of others", by: .bob, in: "shared")
        try await wire(.changesDatabase, "of others", by: .bob, in: "shared")
        let zone = #""zoneID":{"zoneName":"Notes","ownerRecordName":"_alice"}"#
        try await wire(
            .recordsLookup, "of others", #"{\#(zone),"records":[{"recordName":"cloudkit.zoneshare"}]}"#, by: .bob,
            in: "shared")
        let leaving = #"{"operationType":"forceDelete","record":{"recordName":"cloudkit.zoneshare"}}"#
        try await wire(.recordsModify, "leave", #"{\#(zone),"operations":[\#(leaving)]}"#, by: .bob, in: "shared")
        try await wire(.changesDatabase, "of others after leaving", by: .bob, in: "shared")
        try await wire(.recordsModify, "end of the share", #"{\#(Self.zone),"operations":[\#(leaving)]}"#)
        try await sharingRecords()
    }

    // A shared record: its share, a new guest, and the guest's sight of the zone.
    private func sharingRecords() async throws {
        let trip =
            #"{"operationType":"create","record":{"recordName":"Trip","recordType":"Note","#
            + #""fields":{"title":{"value":"Rome"}}}}"#
        let share =
            #"{"operationType":"create","record":{"recordName":"Share-1","recordType":"cloudkit.share","#
            + #""fields":{"cloudkit.title":{"value":"Rome"}},"publicPermission":"READ_ONLY","#
            + #""forRecord":{"recordName":"Trip"}}}"#
        let made = try await wire(
            .recordsModify, "share of a record", #"{\#(Self.zone),"operations":[\#(trip),\#(share)]}"#)
        let guid = try made["records"][1]["shortGUID"].text
        let body = #"{"shortGUIDs":[{"value":"\#(guid)","shouldFetchRootRecord":true}]}"#
        try await wire(.recordsResolve, "of a record", body, by: .bob, in: "public")
        try await wire(.recordsAccept, "of a record", body, by: .bob, in: "public")
        let zone = #""zoneID":{"zoneName":"Notes","ownerRecordName":"_alice"}"#
        try await wire(.changesZone, "of a shared record", #"{"zones":[{\#(zone)}]}"#, by: .bob, in: "shared")
        try await wire(
            .recordsLookup, "of a shared record", #"{\#(zone),"records":[{"recordName":"Trip"},{"recordName":"N1"}]}"#,
            by: .bob, in: "shared")
        let deletion = #"{"operationType":"forceDelete","record":{"recordName":"Trip"}}"#
        try await wire(.recordsModify, "end of a shared record", #"{\#(Self.zone),"operations":[\#(deletion)]}"#)
    }
}
