import Backstitch

/// A feature that a store may lack. The store then refuses it with a clear error when it is opened.
public enum StoreFeature: Sendable, Hashable, CaseIterable {
    /// Models with unique constraints.
    ///
    /// A store with this feature refuses a save or a batch request with two objects that share the values of a
    /// constraint. It names both objects.
    case uniqueConstraints
    /// Models whose entities have parents.
    ///
    /// A store with this feature finds objects of subentities in requests for the parent.
    case inheritance
    /// Models with derived attributes.
    ///
    /// A store with this feature computes them in the transaction that changes their sources.
    case derivedAttributes
    /// Opening with another version of the model.
    ///
    /// A store without it refuses such a model with ``BackstitchError/Code/modelMismatch`` and reports the differences.
    case migration
    /// Required attributes without a default.
    ///
    /// A synced store lacks it: a record of another device may lack the value.
    case requiredValues
    /// Opening as a read-only store.
    ///
    /// A store with this feature leaves every byte unchanged when ``StoreConfiguration/isReadOnly`` is set.
    case readOnly
    /// Removal of the whole store by ``PersistentStoreCoordinator/destroyPersistentStore(at:type:options:)``.
    case destruction
    /// History: the store is a ``JournalingStore``.
    ///
    /// The cases about journal and outbox need it, too. They show whether a synced store can wrap the store.
    case history
    /// Reading an earlier state, by ``PersistentStore/makeSnapshot()``.
    ///
    /// Without it contexts cannot be pinned to a query generation.
    case snapshots
    /// Freeing unused bytes, by ``PersistentStore/collectAssets()``.
    ///
    /// Without it bytes stay for good: nothing is lost, and no space is regained.
    case assetCollection
    /// Being open several times at once. With ``history``, each container also hears of the saves of the others.
    case sharing
}
