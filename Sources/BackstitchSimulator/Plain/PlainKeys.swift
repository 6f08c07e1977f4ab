/// The keys named in the documents of CloudKit Web Services, by endpoint.
enum PlainKeys {
    private static let zone: Set<String> = ["zoneName", "ownerRecordName", "zoneType"]
    private static let record: Set<String> = [
        "recordName", "recordType", "recordChangeTag", "fields", "zoneID", "parent", "createShortGUID", "forRecord",
        "publicPermission", "participants",
    ]
    private static let participant: Set<String> = [
        "participantId", "userIdentity", "type", "acceptanceStatus", "permission",
    ]
    private static let field: Set<String> = ["value", "type", "isEncrypted"]
    private static let subscription: Set<String> = [
        "subscriptionID", "subscriptionType", "zoneID", "zoneWide", "query", "firesOn", "firesOnce", "notificationInfo",
    ]
    private static let notification: Set<String> = [
        "alertBody", "alertLocalizationKey", "alertLocalizationArgs", "alertActionLocalizationKey", "alertLaunchImage",
        "soundName", "shouldBadge", "shouldSendContentAvailable", "additionalFields", "category",
    ]
    private static let types: Set<String> = [
        "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "REFERENCE", "ASSETID", "LOCATION", "STRING_LIST",
        "INT64_LIST", "DOUBLE_LIST", "TIMESTAMP_LIST", "BYTES_LIST", "REFERENCE_LIST", "LOCATION_LIST", "ASSETID_LIST",
    ]

    /// - Throws: ``PlainError`` for the first undocumented key.
    static func check(_ body: PlainJSON, of endpoint: String) throws(PlainError) {
        switch endpoint {
        case "zones/list", "subscriptions/list", "users/caller": try only([], in: body)
        case "records/resolve", "records/accept":
            try only(["shortGUIDs"], in: body)
            for guid in body["shortGUIDs"].elements {
                try only(["value", "shouldFetchRootRecord", "rootRecordDesiredKeys"], in: guid)
            }
        case "zones/lookup":
            try only(["zones"], in: body)
            for zone in body["zones"].elements { try only(self.zone, in: zone) }
        case "zones/modify":
            try only(["operations"], in: body)
            for operation in body["operations"].elements {
                try only(["operationType", "zone"], in: operation)
                try only(["zoneID"], in: operation["zone"])
                try only(zone, in: operation["zone"]["zoneID"])
            }
        case "changes/database": try only(["syncToken", "resultsLimit"], in: body)
        case "changes/zone":
            let shared: Set<String> = ["desiredKeys", "desiredRecordTypes", "reverse"]
            try only(shared.union(["zones", "resultsLimit", "numbersAsStrings"]), in: body)
            for zone in body["zones"].elements { try only(shared.union(["zoneID", "syncToken"]), in: zone) }
        case "records/lookup":
            try only(["records", "zoneID", "desiredKeys", "numbersAsStrings"], in: body)
            for record in body["records"].elements { try only(["recordName", "desiredKeys"], in: record) }
        case "records/query":
            let shared: Set<String> = ["zoneID", "zoneWide", "query", "resultsLimit", "continuationMarker"]
            try only(shared.union(["desiredKeys", "numbersAsStrings", "getCurrentSyncToken"]), in: body)
            try checkQuery(body["query"])
        case "records/modify": try checkModification(body)
        case "assets/upload":
            try only(["zoneID", "tokens"], in: body)
            for token in body["tokens"].elements { try only(["recordName", "recordType", "fieldName"], in: token) }
        case "subscriptions/lookup", "subscriptions/modify": try checkSubscriptions(body)
        case "tokens/create": try only(["apnsEnvironment", "clientId"], in: body)
        case "tokens/register": try only(["apnsEnvironment", "apnsToken"], in: body)
        default: break
        }
    }

    /// Checks the list of a lookup, or the operations of a modification.
    private static func checkSubscriptions(_ body: PlainJSON) throws(PlainError) {
        try only(["subscriptions", "operations"], in: body)
        for item in body["subscriptions"].elements { try only(["subscriptionID"], in: item) }
        for operation in body["operations"].elements {
            try only(["operationType", "subscription"], in: operation)
            try only(subscription, in: operation["subscription"])
            try only(notification, in: operation["subscription"]["notificationInfo"])
            try checkQuery(operation["subscription"]["query"])
        }
    }

    private static func checkQuery(_ query: PlainJSON) throws(PlainError) {
        try only(["recordType", "filterBy", "sortBy"], in: query)
        for filter in query["filterBy"].elements {
            try only(["comparator", "fieldName", "systemFieldName", "fieldValue", "distance"], in: filter)
            try only(field, in: filter["fieldValue"])
        }
        for sort in query["sortBy"].elements {
            try only(["fieldName", "systemFieldName", "ascending", "relativeLocation"], in: sort)
        }
    }

    private static func checkModification(_ body: PlainJSON) throws(PlainError) {
        try only(["zoneID", "atomic", "desiredKeys", "numbersAsStrings", "operations"], in: body)
        for operation in body["operations"].elements {
            try only(["operationType", "record"], in: operation)
            try only(record, in: operation["record"])
            try only(["recordName"], in: operation["record"]["parent"])
            try only(["recordName", "recordChangeTag"], in: operation["record"]["forRecord"])
            for participant in operation["record"]["participants"].elements {
                try only(self.participant, in: participant)
                try only(["userRecordName", "nameComponents", "lookupInfo"], in: participant["userIdentity"])
            }
            for (name, value) in operation["record"]["fields"].keys.sorted(by: { $0.key < $1.key }) {
                try only(field, in: value)
                if value["value"] != .null, !types.contains(value["type"].text ?? "") {
                    throw .badRequest("the field \(name) has no type that there is")
                }
            }
        }
    }

    private static func only(_ known: Set<String>, in object: PlainJSON) throws(PlainError) {
        if let key = object.keys.keys.filter({ !known.contains($0) }).min() {
            throw .badRequest("unexpected key '\(key)'")
        }
    }
}
