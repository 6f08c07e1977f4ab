import Backstitch
import BackstitchSync

/// What users do.
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

    /// The entities whose objects come and go by it.
    var entities: Set<String> {
        switch self {
        case .churn, .sleepers: ["Note", "Folder", "Tag"]
        case .registers: ["Register"]
        case .lists: ["List", "Item"]
        case .bank: ["Posting"]
        case .photos: ["Note"]
        case .versions: ["Note", "Sticker"]
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
        }
    }
}

/// A kind of thing that users do, one transaction at a time.
protocol Workload {
    /// Does one thing on a device that is alive.
    func act(on device: SimulatedDevice) throws
    /// Looks at what a device shows, at any moment.
    func look(at device: SimulatedDevice) throws
    /// Looks at what a device shows when everything is at rest.
    func judge(_ device: SimulatedDevice) throws
}

extension Workload {
    func look(at device: SimulatedDevice) throws {}
    func judge(_ device: SimulatedDevice) throws {}
}

/// What came of a save.
enum SaveOutcome {
    /// It returned.
    case saved
    /// Nothing was to be saved.
    case nothing
    /// The process has died in it, so nobody knows.
    case unknown
}

/// What a transaction of a workload writes, for the ledger.
struct Promises {
    var values: [(Ledger.Place, String?)] = []
    var deletions: [ObjectKey] = []
    /// For the trace.
    var words: [String] = []

    mutating func set(_ object: ManagedObject?, _ property: String, _ value: String?) {
        guard let object else { return }
        object[property] = value
        let place = Ledger.Place(object.key, property)
        // What the same save overwrites was never promised.
        values.removeAll { $0.0 == place }
        values.append((place, value))
    }

    mutating func say(_ what: String) { words.append(what) }
}

extension SimulatedDevice {
    /// Changes objects and saves.
    @discardableResult
    func edit(_ body: (ManagedObjectContext, inout Promises) throws -> Void) throws -> SaveOutcome {
        guard let process, disk.isAlive else { return .nothing }
        process.step = "an app's save"
        let context = ManagedObjectContext(coordinator: process.coordinator)
        context.mergePolicy = .mergeByPropertyObjectTrump
        var promises = Promises()
        var before: Set<ObjectKey> = []
        var outcome = SaveOutcome.nothing
        do {
            try body(context, &promises)
            if !promises.deletions.isEmpty { before = try process.keys() }
            if context.hasChanges {
                try context.save()
                outcome = .saved
                // With what belonged to the deleted objects.
                if !promises.deletions.isEmpty {
                    let after = try process.keys()
                    promises.deletions = before.subtracting(after).sorted()
                    promises.values.removeAll { !after.contains($0.0.key) }
                }
            }
        } catch  where !disk.isAlive {
            outcome = .unknown
            promises.deletions = before.sorted()
        }
        world.saved(promises, on: self, outcome)
        if outcome == .saved { tell(.trigger(.localSave, ticket: nil)) }
        return outcome
    }

    func read<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result? {
        guard let process, disk.isAlive else { return nil }
        return try body(ManagedObjectContext(coordinator: process.coordinator))
    }
}

extension SimulatedDevice.Process {
    /// The keys of all objects that are stored.
    fileprivate func keys() throws -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        for entity in coordinator.model.entities {
            keys.formUnion(try store.fetchKeys(StoreFetchRequest(entity: entity)))
        }
        return keys
    }
}

extension ManagedObject {
    /// What the trace calls it.
    var label: String { String(key.uuidString.suffix(4)) }
}

extension World {
    func any<Element>(_ all: [Element]) -> Element? { all.randomElement(using: &scheduler.random) }

    /// A value that no other write has.
    func uniqueText(_ device: SimulatedDevice) -> String { "\(device.name.suffix(1))-\(uniqueNumber())" }
}
