public import Backstitch
public import Foundation

/// A kind of store to try: its name, and how to describe one that lives in a folder.
///
/// ```swift
/// StoreUnderTest("mine", lacking: [.derivedAttributes]) { folder in
///     PersistentStoreDescription(type: "Mine", url: folder.appending(path: "store"))
/// }
/// ```
/// Where the store is durable, all descriptions of one folder must lead to one store: cases close a store and open it
/// again, and open it twice where it can be shared. A store at a server takes a database or a schema that is named
/// after the folder, and leaves the folder empty.
public struct StoreUnderTest: Sendable, CustomStringConvertible {
    /// The name in test reports.
    public let description: String
    /// Whether a container opened again on the same folder finds what the first one saved.
    public let isDurable: Bool
    /// The features that it lacks.
    public let lacks: Set<StoreFeature>
    /// Describes the store in a folder.
    let describe: @Sendable (URL) -> PersistentStoreDescription

    /// A kind of store.
    ///
    /// Say honestly what it lacks: a feature that is named here is never tried, and one that is not must work.
    ///
    /// - Parameter describe: Describes the store in a folder, which exists and is empty at first.
    public init(
        _ name: String, isDurable: Bool = true, lacking lacks: Set<StoreFeature> = [],
        describe: @escaping @Sendable (URL) -> PersistentStoreDescription
    ) {
        description = name
        self.isDurable = isDurable
        self.lacks = lacks
        self.describe = describe
    }

    /// Whether it has all that a case needs.
    public func mustShow(_ behaviour: ConformanceCase) -> Bool { lacks.isDisjoint(with: behaviour.features) }
}
