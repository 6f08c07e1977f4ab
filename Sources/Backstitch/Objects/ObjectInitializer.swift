/// The values that the context hands to an object's initialiser.
///
/// It is a class, so that one instance serves the objects of many rows. Handing it through the initialisers of a
/// hierarchy then costs no reference counting of its contents.
public final class ObjectInitializer {
    let entity: ResolvedEntity
    let context: ManagedObjectContext
    let state: ManagedObject.State
    private(set) var key: ObjectKey
    /// The rows; ``row`` is the object's among them. Nil for a fault and for a new object.
    let batch: RowBatch?
    private(set) var row: Int

    init(
        entity: ResolvedEntity, key: ObjectKey, context: ManagedObjectContext, snapshot: RowSnapshot?,
        state: ManagedObject.State
    ) {
        self.entity = entity
        self.key = key
        self.context = context
        self.state = state
        batch = snapshot?.batch
        row = snapshot?.row ?? 0
    }

    /// Makes it the seed of another row's object.
    func move(to row: Int, _ key: ObjectKey) {
        self.row = row
        self.key = key
    }
}
