/// The findings of a check of a storage.
public struct StorageReport: Sendable, Codable, Hashable {
    /// A contradiction found in a storage.
    public struct Fault: Sendable, Codable, Hashable, CustomStringConvertible {
        /// The kinds of faults.
        public enum Kind: String, Sendable, Codable, CaseIterable {
            /// A sequence of a record or of a deletion is beyond its zone's head: readers would miss later commits. A
            /// zone's floor beyond its head is the same fault.
            case sequenceBeyondHead
            /// A record is in a missing zone.
            case recordWithoutZone
            /// A zone's place in `changes/database` is beyond the counter of its database.
            case zoneBeyondDatabase
            /// A record requires another one (VALIDATE), and that one is missing.
            case missingTarget
            /// The list of references names a missing record.
            case referenceWithoutRecord
            /// The list of assets in use names a missing record.
            case assetUseWithoutRecord
            /// An index for queries has an entry of a missing record.
            case queryEntryWithoutRecord
            /// The counters of a user differ from the sums of the user's rows.
            case wrongUsage
            /// An asset in use by a record has no content.
            case missingContent
            /// Content has another length than its row says.
            case wrongContentSize
            /// Some content has other bytes than its name says.
            case wrongContent
        }

        /// The kind of the fault.
        public var kind: Kind
        /// The faulty thing, by container, database, zone and name as far as it has them.
        public var place: String

        /// The fault as text: `kind: place`.
        public var description: String { "\(kind.rawValue): \(place)" }
    }

    /// The faults found, at most ``limit`` of a kind.
    public internal(set) var faults: [Fault] = []
    /// The number of faults of each kind.
    public internal(set) var counts: [Fault.Kind: Int] = [:]
    /// References with DELETE_SELF and a missing target. The target may still arrive, so this is no fault.
    public internal(set) var danglingReferences = 0
    /// Content without a row: an unfinished upload, or the remains of a crash. It is removed after a day.
    public internal(set) var strayContents = 0
    /// The number of contents found for assets in use.
    public internal(set) var contents = 0
    /// Whether the bytes of the content were hashed.
    public internal(set) var hasHashed = false

    /// Most faults of a kind in ``faults``.
    public static let limit = 100

    /// Whether the check found no fault.
    public var isGood: Bool { counts.isEmpty }

    mutating func add(_ kind: Fault.Kind, _ place: String) {
        counts[kind, default: 0] += 1
        if counts[kind, default: 0] <= Self.limit { faults.append(Fault(kind: kind, place: place)) }
    }
}
