import Backstitch

/// A change of an object, as history tells it.
struct ToldChange: Hashable {
    /// The object's key.
    let key: ObjectKey
    /// Whether it came, changed or went.
    let kind: PersistentHistoryChange.Kind
    /// The names of the properties that an update changed.
    var properties: Set<String> = []
}
