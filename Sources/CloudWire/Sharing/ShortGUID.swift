/// Names a share, in requests and answers.
public struct ShortGUID: Sendable, Hashable {
    /// The name, as it stands in the address of the share.
    public var value: String
    /// Whether the answer is to hold the record that is shared. A share of a zone has none.
    public var shouldFetchRootRecord: Bool
    /// The fields of that record to give; nil for all.
    public var rootRecordDesiredKeys: [String]?
    /// Extension of `records/accept`: base64 of the caller's public key, at most ``mostKeyBytes`` bytes. It takes the
    /// place of the one that the participant has told before. Answers do not repeat it.
    public var publicKey: String?
    /// Extension of `records/accept`: whether the caller tells a public key as one who takes part, and nothing else. A
    /// caller who does not take part, or has left meanwhile, gets ACCESS_DENIED and does not join by it.
    public var onlyAsParticipant = false
    /// Most bytes of a public key.
    public static let mostKeyBytes = 128

    /// A name.
    public init(_ value: String, shouldFetchRootRecord: Bool = false, rootRecordDesiredKeys: [String]? = nil) {
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
