/// The values that the context hands to an object's initialiser.
///
/// A class, so that objects of many rows can be made of one: to hand it down the initialisers of a hierarchy then costs
/// no counting of what it refers to.
public final class ObjectInitializer {
    let entity: ResolvedEntity
    let context: ManagedObjectContext
    let state: ManagedObject.State
    private(set) var key: ObjectKey
    /// The rows, and which of them is the object's; nil for a fault and for a new object.
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
