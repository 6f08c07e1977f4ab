/// The findings of a look through a storage.
public struct StorageReport: Sendable, Codable, Hashable {
    /// Something that must not be.
    public struct Fault: Sendable, Codable, Hashable, CustomStringConvertible {
        /// The kinds of faults.
        public enum Kind: String, Sendable, Codable, CaseIterable {
            /// A record's or a deletion's sequence is beyond its zone's head: readers would miss later commits.
            case sequenceBeyondHead
            /// A record is in a zone that is not there.
            case recordWithoutZone
            /// A zone's place in `changes/database` is beyond the counter of its database.
            case zoneBeyondDatabase
            /// A record demands another one (VALIDATE), which is not there.
            case missingTarget
            /// The list of references names a record that is not there.
            case referenceWithoutRecord
            /// The list of assets in use names a record that is not there.
            case assetUseWithoutRecord
            /// An index for queries has an entry of a record that is not there.
            case queryEntryWithoutRecord
            /// The counters of a user are not the sums of what the user has.
            case wrongUsage
            /// An asset that a record uses has no content.
            case missingContent
            /// Content has another length than its row says.
            case wrongContentSize
            /// The bytes of some content are not those that its name says.
            case wrongContent
        }

        /// The kind.
        public var kind: Kind
        /// The thing that is wrong, by container, database, zone and name as far as it has them.
        public var place: String

        /// `kind: place`.
        public var description: String { "\(kind.rawValue): \(place)" }
    }

    /// Faults that were found, at most ``limit`` of a kind.
    public internal(set) var faults: [Fault] = []
    /// How many there are of each kind.
    public internal(set) var counts: [Fault.Kind: Int] = [:]
    /// References with DELETE_SELF whose target is not there. It may be on its way, so it is no fault.
    public internal(set) var danglingReferences = 0
    /// Content that no row names: an upload that is on its way, or what a crash has left, which is removed after a day.
    public internal(set) var strayContents = 0
    /// Contents that were looked at, and whether their bytes were read.
    public internal(set) var contents = 0
    /// Whether content was hashed.
    public internal(set) var hasHashed = false

    /// How many faults of a kind are named.
    public static let limit = 100

    /// Whether nothing is wrong.
    public var isGood: Bool { counts.isEmpty }

    mutating func add(_ kind: Fault.Kind, _ place: String) {
        counts[kind, default: 0] += 1
        if counts[kind, default: 0] <= Self.limit { faults.append(Fault(kind: kind, place: place)) }
    }
}
