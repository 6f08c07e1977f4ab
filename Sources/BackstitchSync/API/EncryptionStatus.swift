import Backstitch

/// How the encrypted attributes of a store stand; see ``SyncController/encryptionStatus()``.
public struct EncryptionStatus: Sendable, Hashable {
    /// The name of the key with which values of the main zone are encrypted; nil where there is none.
    public var currentKeyID: String?
    /// Why nothing of the main zone can be encrypted; nil where it can, and in a store of the shared database, since
    /// that has no main zone.
    public var problem: String?
    /// The keys that records wait for, since they are not here or do not fit, with the number of records. The records
    /// themselves are among ``SyncController/parkedRecords()``.
    public var missingKeys: [String: Int]
    /// How many records are still under keys that were replaced.
    public var recordsToRotate: Int
    /// Why the keys of further zones are not as they should be, by the names of the zones in the program: the owner's
    /// device has not sealed them yet, the private key is not here, the record on the server is none of the owner's, or
    /// there is no key to encrypt with.
    public var zoneProblems: [String: String]

    /// A state.
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
