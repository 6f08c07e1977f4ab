import BackstitchSupport
import Logging

/// Warns of a value that its Swift type does not have, once for each property. An example is a case of an enumeration
/// in a later version of the program. Such a value reads as nil or ``AttributeValue/missing``, and stays in the store.
enum UnknownValues {
    private static let told = Locked<Set<String>>([])

    static func tell(_ error: BackstitchError, of entity: ResolvedEntity, _ key: String, _ logger: Logger) {
        guard told.withLock({ $0.insert("\(entity.name).\(key)").inserted }) else { return }
        logger.warning(
            "a property holds a value that is not valid for its type; it reads as missing, and stays unchanged",
            metadata: ["error": "\(error)"])
    }
}
