/// The identifier of a share, in requests and answers.
package struct ShortGUID: Sendable, Hashable {
    /// The identifier, as in the address of the share.
    package var value: String
    /// Whether the answer must have the shared record. A share of a zone has none.
    package var shouldFetchRootRecord: Bool
    /// The fields of that record to return; nil for all.
    package var rootRecordDesiredKeys: [String]?
    /// Extension of `records/accept`: base64 of the caller's public key, at most ``mostKeyBytes`` bytes. It replaces
    /// the participant's earlier key. Answers do not repeat it.
    package var publicKey: String?
    /// Extension of `records/accept`: whether the caller only sets a public key, as a participant. A caller who does
    /// not take part, or has left meanwhile, gets ACCESS_DENIED and does not join.
    package var onlyAsParticipant = false
    /// The most bytes of a public key.
    package static let mostKeyBytes = 128

    package init(_ value: String, shouldFetchRootRecord: Bool = false, rootRecordDesiredKeys: [String]? = nil) {
        self.value = value
        self.shouldFetchRootRecord = shouldFetchRootRecord
        self.rootRecordDesiredKeys = rootRecordDesiredKeys
    }
}

extension ShortGUID: WireObject {
    static var blank: Self { Self("") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("value", &value, else: "a shortGUID needs a value")
        keys.value("shouldFetchRootRecord", &shouldFetchRootRecord)
        keys.optional("rootRecordDesiredKeys", &rootRecordDesiredKeys)
        keys.optional("publicKey", &publicKey)
        keys.value("onlyAsParticipant", &onlyAsParticipant, if: onlyAsParticipant)
    }
}
