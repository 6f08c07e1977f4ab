import Backstitch
import BackstitchSync

/// The kinds of work that users do.
package enum WorkloadKind: String, CaseIterable, Sendable {
    /// Notes in folders, with tags: everything changes, moves and goes.
    case churn
    /// Registers that only grow.
    case registers
    /// Lists to which items are added.
    case lists
    /// Transfers of double entry.
    case bank
    /// Photos of notes, set, replaced and cleared.
    case photos
    /// Programs of an older and a newer version side by side, and one that is brought up to date.
    case versions
    /// A device that is put away with changes unsent, and taken out again after months.
    case sleepers
    /// Rooms with chairs, in several zones. Only in worlds that are asked to have them.
    case rooms
    /// Objects with encrypted attributes, whose keys are replaced and come late.
    case secrets
    /// Books on shelves, of which some are shared where they are. Only in worlds with guests who see a part of a zone.
    case shelves

    /// Those that any world may have.
    static let usual = allCases.filter { ![.rooms, .secrets, .shelves].contains($0) }

    /// The entities whose objects come and go by it.
    var entities: Set<String> {
        switch self {
        case .churn, .sleepers: ["Note", "Folder", "Tag"]
        case .registers: ["Register"]
        case .lists: ["List", "Item"]
        case .bank: ["Posting"]
        case .photos: ["Note"]
        case .versions: ["Note", "Sticker"]
        // Where the main zone's feed stands says nothing of them.
        case .rooms: []
        case .shelves: ["Shelf", "Book", "Author"]
        // Devices that lack a key show what was there before.
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
