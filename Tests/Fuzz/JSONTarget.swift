#if FUZZING

@testable import CloudWire

/// Messages of the wire, each read as any type of message. A readable message can be written, and reads the same again.
struct JSONTarget: FuzzTarget {
    func run(_ input: [UInt8]) {
        try? AnyJSON.check(input)
        tryAs(RecordsModifyRequest.self, input)
        tryAs(RecordsLookupRequest.self, input)
        tryAs(RecordsResponse.self, input)
        tryAs(RecordChangesRequest.self, input)
        tryAs(RecordChangesResponse.self, input)
        tryAs(ZoneChangesRequest.self, input)
        tryAs(ZoneChangesResponse.self, input)
        tryAs(ZonesLookupRequest.self, input)
        tryAs(ZonesModifyRequest.self, input)
        tryAs(ZonesResponse.self, input)
        tryAs(DatabaseChangesRequest.self, input)
        tryAs(DatabaseChangesResponse.self, input)
        tryAs(AssetUploadRequest.self, input)
        tryAs(AssetUploadResponse.self, input)
        tryAs(AssetUploadReceipt.self, input)
        tryAs(SubscriptionsLookupRequest.self, input)
        tryAs(SubscriptionsModifyRequest.self, input)
        tryAs(SubscriptionsResponse.self, input)
        tryAs(PushNotification.self, input)
        tryAs(PushToken.self, input)
        tryAs(UserIdentity.self, input)
        tryAs(UsersDiscoverRequest.self, input)
        tryAs(UsersLookupRequest.self, input)
        tryAs(UsersResponse.self, input)
        tryAs(ShareGUIDsRequest.self, input)
        tryAs(ShareResultsResponse.self, input)
        tryAs(RecordsQueryRequest.self, input)
        tryAs(RecordsQueryResponse.self, input)
        tryAs(QueryChangesRequest.self, input)
        tryAs(QueryChangesResponse.self, input)
        tryAs(AssetRereferenceRequest.self, input)
        tryAs(AssetRereferenceResponse.self, input)
        tryAs(WireError.self, input)
    }

    private func tryAs<Message: WireCodable>(_ type: Message.Type, _ input: [UInt8]) {
        guard let read = try? Message(wireJSON: input) else { return }
        guard let written = try? read.wireJSON() else { return }
        guard let again = try? Message(wireJSON: written), let writtenAgain = try? again.wireJSON() else {
            return promise(false, "\(type) wrote a message that it does not read")
        }
        promise(written == writtenAgain, "\(type) reads its own message otherwise than it wrote it")
    }

    /// Any value, skipped.
    private struct AnyJSON: WireDecodable {
        static func check(_ input: [UInt8]) throws { _ = try AnyJSON(wireJSON: input) }

        static func read(from reader: inout JSONReader) throws(WireCodingError) -> AnyJSON {
            try reader.skip()
            return AnyJSON()
        }
    }
}

#endif
