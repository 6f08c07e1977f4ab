import Backstitch
import CloudWire

/// The guests' view of a zone of the user's own in which single objects are shared: those, and all that hangs on them.
///
/// The owner's devices alone see two objects with the same unique values of which a guest sees one. Whoever has the one
/// that goes must have the one that stays.
struct GuestSight {
    /// The objects that are shared; none where nothing is, and where the zone is shared as a whole.
    private let roots: Set<ObjectKey>
    private let journal: any JournalReading
    private let model: SyncedModel

    /// Whether guests see a part of the zone.
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

    /// The shared objects by which guests see an object: itself, or those above it.
    ///
    /// - Parameter image: The object as it will be.
    func roots(above id: ObjectID, _ image: RecordImage, _ entity: ResolvedEntity) throws -> Set<ObjectKey> {
        guard !roots.isEmpty else { return [] }
        var chain = ParentChain(model.model) { [journal] in try journal.rows(of: $0, keys: $1) }
        chain.note(image.row(id.key, of: entity))
        try chain.climb(from: [id])
        return chain.keys(above: id.key).intersection(roots)
    }
}
