import CloudWire
import Foundation
import TestSupport

/// The messages of endpoints, each with a sample that the server answers.
extension WireEndpoint {
    /// The type of the endpoint's body; nil for one that takes none.
    var message: (any WireDecodable.Type)? {
        switch self {
        case .zonesList, .subscriptionsList, .usersCaller, .usersCurrent, .usersLookupContacts: nil
        case .zonesLookup: ZonesLookupRequest.self
        case .zonesModify: ZonesModifyRequest.self
        case .zonesChanges, .changesDatabase: DatabaseChangesRequest.self
        case .recordsModify: RecordsModifyRequest.self
        case .recordsQuery: RecordsQueryRequest.self
        case .recordsLookup: RecordsLookupRequest.self
        case .recordsChanges: RecordChangesRequest.self
        case .recordsResolve, .recordsAccept: ShareGUIDsRequest.self
        case .changesZone: ZoneChangesRequest.self
        case .changesQuery: QueryChangesRequest.self
        case .assetsUpload: AssetUploadRequest.self
        case .assetsRereference: AssetRereferenceRequest.self
        case .subscriptionsLookup: SubscriptionsLookupRequest.self
        case .subscriptionsModify: SubscriptionsModifyRequest.self
        case .usersDiscover: UsersDiscoverRequest.self
        case .usersLookupEmail, .usersLookupID: UsersLookupRequest.self
        case .tokensCreate, .tokensRegister, .tokensUnregister: PushToken.self
        }
    }

    /// A valid body, into which a text is put.
    var sample: String {
        let zone = #""zoneID":{"zoneName":"Z"}"#
        let filter = #"{"comparator":"CONTAINS_ALL_TOKENS","fieldName":"f","fieldValue":{"type":"STRING","value":"x"}}"#
        let query = #"{"recordType":"T","filterBy":[\#(filter)],"sortBy":[{"fieldName":"g"}]}"#
        return switch self {
        case .zonesLookup: #"{"zones":[{"zoneName":"Z"}]}"#
        case .zonesModify: #"{"operations":[{"operationType":"create","zone":{\#(zone)}}]}"#
        case .recordsModify:
            #"""
            {\#(zone),"operations":[{"operationType":"forceUpdate",
            "record":{"recordName":"A","recordType":"T","fields":{"f":{"value":"a b"}}}}]}
            """#
        case .recordsQuery: #"{\#(zone),"query":\#(query)}"#
        case .changesQuery: #"{"queries":[\#(query)]}"#
        case .recordsLookup: #"{\#(zone),"records":[{"recordName":"A"}]}"#
        case .recordsChanges: "{\(zone)}"
        case .recordsResolve, .recordsAccept: #"{"shortGUIDs":[{"value":"x"}]}"#
        case .changesZone: #"{"zones":[{\#(zone)}]}"#
        case .assetsUpload: #"{\#(zone),"tokens":[{"recordName":"A","recordType":"T","fieldName":"asset"}]}"#
        case .assetsRereference: #"{\#(zone),"assets":[{"recordName":"A","fieldName":"asset"}]}"#
        case .subscriptionsLookup: #"{"subscriptions":[{"subscriptionID":"s"}]}"#
        case .subscriptionsModify:
            #"""
            {"operations":[{"operationType":"create",
            "subscription":{"subscriptionID":"s","subscriptionType":"query",\#(zone),"query":\#(query)}}]}
            """#
        case .usersLookupEmail: #"{"users":[{"emailAddress":"a@example.org"}]}"#
        case .usersLookupID: #"{"users":[{"userRecordName":"_a"}]}"#
        case .usersDiscover: #"{"lookupInfos":[{"emailAddress":"a@example.org"}]}"#
        case .tokensUnregister: #"{"clientId":"c"}"#
        default: "{}"
        }
    }

    /// The paths to all strings of the endpoint's body.
    func stringPaths() throws -> [WireStrings.Path] {
        guard let message else { return [] }
        return try WireStrings(types: WireValueType.allCases.map(\.rawValue)) { message.faultOrDump($0) }.paths()
    }
}

extension WireDecodable {
    /// The fault of bytes that are not such a message, or the message with the faults of its items.
    static func faultOrDump(_ bytes: [UInt8]) -> String {
        do throws(WireCodingError) { return "\(try Self(wireJSON: bytes))" } catch { return error.description }
    }
}
