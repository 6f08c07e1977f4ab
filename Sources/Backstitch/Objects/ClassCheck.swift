import Logging
import Synchronization

/// Finds stored properties of an object's class that have the name of a property of its entity.
///
/// Such a property hides the model's property: its value lives in memory only, and no save writes it. Swift shows the
/// properties of a class only by means of an object, so the first object of each entity is examined.
final class ClassCheck: Sendable {
    private let isDone = Atomic(false)

    /// Logs the properties of the object's class that are not saved, at the first call. Later calls cost one read.
    @inline(__always)
    func tellOnce(of object: ManagedObject) {
        if isDone.load(ordering: .relaxed) { return }
        tell(of: object)
    }

    private func tell(of object: ManagedObject) {
        guard !isDone.exchange(true, ordering: .relaxed) else { return }
        var part: Mirror? = Mirror(reflecting: object)
        while let mirror = part, mirror.subjectType != ManagedObject.self {
            for case let label? in mirror.children.map(\.label) { tell(label, of: mirror.subjectType, object) }
            part = mirror.superclassMirror
        }
    }

    private func tell(_ label: String, of type: Any.Type, _ object: ManagedObject) {
        let name = label.hasPrefix(Self.lazyPrefix) ? String(label.dropFirst(Self.lazyPrefix.count)) : label
        guard let property = object.entity.property(named: name) else { return }
        let kind = property.relationship == nil ? "an attribute" : "a relationship"
        object.context.logger.warning(
            """
            \(type).\(name) is a stored property, and \(kind) of entity \(object.entity.name) in the model: its value lives in memory \
            only, and no save writes it; let it read and write the model, as in \
            var \(name): … { get { self["\(name)"] } set { self["\(name)"] = newValue } }, or give it another name
            """)
    }

    /// The start of the name that Swift gives to the storage of a lazy property.
    private static let lazyPrefix = "$__lazy_storage_$_"
}
