import Backstitch
import BackstitchSync

/// The kinds of work that users do.
package enum WorkloadKind: String, CaseIterable, Sendable {
    /// Notes in folders, with tags: all of them change, move and are deleted.
    case churn
    /// Registers whose values only grow.
    case registers
    /// Lists that grow by added items.
    case lists
    /// Transfers of double entry.
    case bank
    /// Photos of notes, set, replaced and cleared.
    case photos
    /// Programs of an older and a newer version side by side. The older one is updated.
    case versions
    /// A device that is switched off with unsent changes, and switched on after months.
    case sleepers
    /// Rooms with chairs, in several zones. Only in worlds with further zones.
    case rooms
    /// Objects with encrypted attributes, whose keys are replaced and arrive late.
    case secrets
    /// Books on shelves, some of them shared where they are. Only in worlds whose guests see a part of a zone.
    case shelves

    /// The kinds that any world may have.
    static let usual = allCases.filter { ![.rooms, .secrets, .shelves].contains($0) }

    /// The entities whose objects this work makes and deletes.
    var entities: Set<String> {
        switch self {
        case .churn, .sleepers: ["Note", "Folder", "Tag"]
        case .registers: ["Register"]
        case .lists: ["List", "Item"]
        case .bank: ["Posting"]
        case .photos: ["Note"]
        case .versions: ["Note", "Sticker"]
        // The position of the main zone's feed says nothing about them.
        case .rooms: []
        case .shelves: ["Shelf", "Book", "Author"]
        // Devices without a key show the earlier values.
        case .secrets: []
        }
    }

    func make(_ world: World) -> any Workload {
        switch self {
        case .churn: ChurnWorkload(world)
        case .registers: RegisterWorkload(world)
        case .lists: ListWorkload(world)
        case .bank: BankWorkload(world)
        case .photos: PhotoWorkload(world)
        case .versions: VersionWorkload(world)
        case .sleepers: SleeperWorkload(world)
        case .rooms: RoomWorkload(world)
        case .secrets: SecretWorkload(world)
        case .shelves: ShelfWorkload(world)
        }
    }
}
