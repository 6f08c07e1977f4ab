import Backstitch
import CloudWire

/// The guests' view of a zone of the user with single shared objects: these objects, and everything below them.
///
/// Of two objects with the same unique values, a guest may see only one. Only the owner's devices see both. A guest
/// with the disappearing object must also have the remaining one.
struct GuestSight {
    /// The shared objects. Empty if nothing is shared, or the zone is shared as a whole.
    private let roots: Set<ObjectKey>
    private let journal: any JournalReading
    private let model: SyncedModel

    /// Whether guests see only a part of the zone.
    var isPartial: Bool { !roots.isEmpty }

    init(_ journal: any JournalReading, _ settings: ApplySettings) throws {
        (self.journal, model) = (journal, settings.model)
        guard !settings.isOfOthers, !settings.isPublic else {
            roots = []
            return
        }
        roots = Set(
            try journal.objectShares().compactMap { share in
                share.rootName.map { RecordName.key(of: $0, zone: settings.zone).key }
            })
    }

    /// The shared objects that make an object visible to guests: itself, or objects above it.
    ///
    /// - Parameter image: The object in its new state.
    func roots(above id: ObjectID, _ image: RecordImage, _ entity: ResolvedEntity) throws -> Set<ObjectKey> {
        guard !roots.isEmpty else { return [] }
        var chain = ParentChain(model.model) { [journal] in try journal.rows(of: $0, keys: $1) }
        chain.note(image.row(id.key, of: entity))
        try chain.climb(from: [id])
        return chain.keys(above: id.key).intersection(roots)
    }
}
