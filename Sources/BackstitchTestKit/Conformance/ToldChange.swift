import Backstitch

/// A change of an object, as history reports it.
struct ToldChange: Hashable {
    /// The key of the object.
    let key: ObjectKey
    /// Whether it was inserted, updated or deleted.
    let kind: PersistentHistoryChange.Kind
    /// The names of the properties that an update changed.
    var properties: Set<String> = []
}
