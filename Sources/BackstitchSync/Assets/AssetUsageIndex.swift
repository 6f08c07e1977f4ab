import Backstitch
import BackstitchSupport

/// The assets on this device, with their uses and the time of the last request.
struct AssetUsageIndex: Sendable {
    /// An attribute that refers to an asset.
    struct Use: Hashable, Sendable {
        var objectID: ObjectID
        var attribute: String
    }

    /// An asset on this device.
    struct Asset: Sendable {
        var reference: AssetReference
        var uses: [Use] = []
        /// The first attribute that needs the bytes here, with the reason.
        var need: Need?
        /// The time of the last request; 0 if it is not known.
        var lastUse: Int64 = 0
    }

    /// The reason why bytes have to stay.
    struct Need: Hashable, Sendable {
        enum Reason: Sendable { case unsent, neverSent, pinned }

        let use: Use
        let reason: Reason
    }

    private(set) var assets: [AssetReference: Asset] = [:]
    /// The number of the last transaction that the index includes.
    private let number: Int64

    /// The bytes of all assets together.
    var size: Int64 { assets.keys.reduce(0) { $0 + $1.size } }

    /// Counts all assets on this device.
    init(in journal: any JournalReading, _ settings: ApplySettings) throws {
        number = try journal.lastTransactionNumber()
        try count(in: journal, settings) {
            try journal.ownKeys(of: $0)
        } isMeant: {
            settings.assets.contains($0)
        }
        for (reference, time) in try journal.notes(.lastUse) { assets[reference]?.lastUse = time }
    }

    /// Counts some assets, with their uses by these objects.
    private init(
        _ references: Set<AssetReference>, of ids: Set<ObjectID>, in journal: any JournalReading,
        _ settings: ApplySettings
    ) throws {
        number = try journal.lastTransactionNumber()
        let keys = Dictionary(grouping: ids, by: \.entityName).mapValues { $0.map(\.key).sorted() }
        try count(in: journal, settings) {
            keys[$0.name] ?? []
        } isMeant: {
            references.contains($0)
        }
    }

    /// Returns the present state of some of the assets, or nil if history no longer has all changes since. Only the
    /// objects that used them and the objects changed since are read, so the cost depends on the number of changes.
    func updated(
        _ some: [Asset], in journal: any JournalReading, _ settings: ApplySettings
    ) throws -> AssetUsageIndex? {
        guard var ids = try journal.changedObjects(after: number) else { return nil }
        for asset in some { ids.formUnion(asset.uses.map(\.objectID)) }
        return try AssetUsageIndex(Set(some.map(\.reference)), of: ids, in: journal, settings)
    }

    private mutating func count(
        in journal: any JournalReading, _ settings: ApplySettings, keys: (ResolvedEntity) throws -> [ObjectKey],
        isMeant: (AssetReference) -> Bool
    ) throws {
        let pins = Set(try journal.subjects(of: .pinned))
        for entity in settings.model.heldEntities {
            let columns = entity.entity.columns.filter { $0.attribute?.allowsExternalStorage == true }
            guard !columns.isEmpty else { continue }
            for part in try keys(entity.entity).parts(of: 1_000) {
                try count(Array(part), entity, columns, pins, journal, isMeant)
            }
        }
    }

    private mutating func count(
        _ keys: [ObjectKey], _ entity: SyncedEntity, _ columns: [ResolvedProperty], _ pins: Set<AssetPlace>,
        _ journal: any JournalReading, _ isMeant: (AssetReference) -> Bool
    ) throws {
        let rows = try journal.rows(of: entity.entity, keys: keys)
        let entries = try journal.outbox(for: keys), states = try journal.recordStates(for: keys)
        for row in 0..<rows.count {
            let key = rows.keys[row]
            for column in columns {
                guard case .asset(let reference) = rows.value(row, column.slot), isMeant(reference) else { continue }
                let entry = entries[key]
                let isUnsent =
                    entry.map { $0.kind == .insert || $0.fields.contains { $0.name == column.name } } ?? false
                let use = Use(objectID: rows.objectID(at: row), attribute: column.name)
                var asset = assets[reference] ?? Asset(reference: reference)
                asset.uses.append(use)
                if asset.need == nil {
                    let isPinned = pins.contains(AssetPlace(key: key, attribute: column.name))
                    let reason: Need.Reason? =
                        column.attribute?.syncDirection != .both
                        ? .neverSent
                        : isUnsent || states[key]?.changeTag == nil ? .unsent : isPinned ? .pinned : nil
                    asset.need = reason.map { Need(use: use, reason: $0) }
                }
                assets[reference] = asset
            }
        }
    }

    /// Returns the assets to remove, by the rule of ``SyncAssets/evict(keeping:)``.
    func leaving(_ allowance: AssetAllowance, isBusy: (AssetReference, [Use]) -> Bool) -> [Asset] {
        let ordered = assets.values.sorted {
            ($0.lastUse, $1.reference.text) > ($1.lastUse, $0.reference.text)
        }
        let free = ordered.filter { $0.need == nil && !isBusy($0.reference, $0.uses) }
        var left = size - free.reduce(0) { $0 + $1.reference.size }
        var leaving: [Asset] = []
        for (position, asset) in free.enumerated() {
            if position < allowance.minimumCount || left + asset.reference.size <= allowance.maximumSize {
                left += asset.reference.size
            } else {
                leaving.append(asset)
            }
        }
        return leaving
    }
}

extension JournalingStore {
    /// Records the time of a request for an asset, to the minute.
    func noteUse(of reference: AssetReference, at time: Int64) throws {
        let known = try readJournal { try $0.note(.lastUse, of: reference) } ?? 0
        guard time - known >= 60_000 else { return }
        try writeJournal(author: SyncAuthor.name) { try $0.setNote(.lastUse, of: reference, to: time) }
    }
}

extension JournalReading {
    /// Returns the objects that changed after a transaction, from history. Nil if a part of that is purged.
    fileprivate func changedObjects(after number: Int64) throws -> Set<ObjectID>? {
        guard try purgedHistoryNumber() <= number else { return nil }
        var (ids, last) = (Set<ObjectID>(), number)
        while true {
            let page = try history(after: last, limit: 100)
            guard let end = page.last?.number else { return ids }
            for transaction in page { ids.formUnion(transaction.changes.map(\.objectID)) }
            last = end
        }
    }
}

extension AssetUsageIndex.Need {
    /// The reason in the words of an error, with a remedy.
    var explanation: String {
        let place = "\(use.objectID).\(use.attribute)"
        return switch reason {
        case .unsent: "the server does not have the bytes of \(place) yet; sync first"
        case .neverSent: "\(place) uses them, and is not sent to the server"
        case .pinned: "they are pinned for \(place); unpin them with sync.assets.unpin(_:of:) first"
        }
    }
}
