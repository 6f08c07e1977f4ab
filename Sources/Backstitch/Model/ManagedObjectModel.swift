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
/// Building a model checks nothing. Opening a container does, and its error lists every fault by name.
public struct ManagedObjectModel: Sendable {
    /// The entities of the model.
    public var entities: [EntityDescription]
    /// The codecs of transformable attributes.
    public var codecs: [ValueCodec]
    /// Names for parts of the model, each a list of entities. A store may hold one part only; see
    /// ``PersistentStoreDescription/configuration``. Relationships must not lead out of a part.
    public var configurations: [String: [String]] = [:]

    /// Makes a model of these entities.
    public init(_ entities: [EntityDescription], codecs: [ValueCodec] = []) {
        self.entities = entities
        self.codecs = codecs
    }
}
