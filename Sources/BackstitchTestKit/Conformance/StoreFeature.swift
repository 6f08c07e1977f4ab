import Backstitch

/// A feature that a store may lack; the store then refuses it with a clear error when it is opened.
public enum StoreFeature: Sendable, Hashable, CaseIterable {
    /// Models with unique constraints.
    ///
    /// A store that has it refuses a save or a batch request in which two objects share the values of a constraint, and
    /// names them.
    case uniqueConstraints
    /// Models whose entities have parents.
    ///
    /// A store that has it finds objects of subentities where the parent is asked for.
    case inheritance
    /// Models with derived attributes.
    ///
    /// A store that has it computes them in the transaction that writes what they depend on.
    case derivedAttributes
    /// Another version of the model than the one it has.
    ///
    /// A store without it refuses such a model with ``BackstitchError/Code/modelMismatch`` and says what differs.
    case migration
    /// Required attributes without a default.
    ///
    /// A synced store lacks it: a record of another device may lack the value.
    case requiredValues
    /// Being only read.
    ///
    /// A store that has it leaves every byte as it is when ``StoreConfiguration/isReadOnly`` is set.
    case readOnly
    /// Being removed by ``PersistentStoreCoordinator/destroyPersistentStore(at:type:options:)``.
    case destruction
    /// History: being a ``JournalingStore``.
    ///
    /// The cases about journal and outbox are for it too, and tell whether a synced store can wrap the store.
    case history
    /// Being read as it was at some moment, by ``PersistentStore/makeSnapshot()``.
    ///
    /// Without it contexts cannot be pinned to a query generation.
    case snapshots
    /// Letting go of bytes that nothing names, by ``PersistentStore/collectAssets()``.
    ///
    /// Without it bytes stay for good: nothing is lost, and space is not won back.
    case assetCollection
    /// Being open several times at once; and, with ``history``, telling each of what the others save.
    case sharing
}
