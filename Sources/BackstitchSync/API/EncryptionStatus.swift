import Backstitch

/// The state of a store's encryption; see ``SyncEncryption/status()``.
public struct EncryptionStatus: Sendable, Hashable {
    /// The name of the key that encrypts values of the main zone; nil if there is none.
    public var currentKeyID: String?
    /// The reason why nothing in the main zone can be encrypted. Nil if it can, and in a store of the shared database,
    /// because that has no main zone.
    public var problem: String?
    /// The keys that are missing or do not fit, with the number of records that wait for each. The records themselves
    /// are among ``SyncBlocked/parkedRecords()``.
    public var missingKeys: [String: Int]
    /// The number of records that are still encrypted with replaced keys.
    public var recordsToRotate: Int
    /// Problems with the keys of further zones, by the zones' names in the program. The owner's device may not have
    /// sealed the key yet, or the private key may be missing here. The record on the server may not be the owner's, or
    /// there may be no key to encrypt with.
    public var zoneProblems: [String: String]

    /// Creates an encryption status.
    public init(
        currentKeyID: String?, problem: String? = nil, missingKeys: [String: Int] = [:], recordsToRotate: Int = 0,
        zoneProblems: [String: String] = [:]
    ) {
        self.currentKeyID = currentKeyID
        self.problem = problem
        self.missingKeys = missingKeys
        self.recordsToRotate = recordsToRotate
        self.zoneProblems = zoneProblems
    }
}
