/// A model: the entities of a store, as a value built in code.
///
/// ```swift
/// extension ManagedObjectModel {
///     static let notes = ManagedObjectModel([
///         EntityDescription("Note", class: Note.self, [
///             .attribute("title", .string), .toOne("folder", "Folder", inverse: "notes"),
///         ]),
///         EntityDescription("Folder", class: Folder.self, [
///             .attribute("name", .string), .toMany("notes", "Note", inverse: "folder", delete: .cascade),
///         ]),
///     ])
/// }
/// ```
///
/// Building a model checks nothing; opening a container does, and lists every fault by name.
public struct ManagedObjectModel: Sendable {
    /// The entities.
    public var entities: [EntityDescription]
    /// The codecs of transformable attributes.
    public var codecs: [ValueCodec]
    /// Names for parts of the model, each a list of entities, for stores that hold only those; see
    /// ``PersistentStoreDescription/configuration``. Relationships must not lead out of a part.
    public var configurations: [String: [String]] = [:]

    /// A model of these entities.
    public init(_ entities: [EntityDescription], codecs: [ValueCodec] = []) {
        self.entities = entities
        self.codecs = codecs
    }
}
