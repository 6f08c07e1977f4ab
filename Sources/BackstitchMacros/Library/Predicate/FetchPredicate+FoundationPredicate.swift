public import Backstitch
public import Foundation

extension FetchPredicate {
    /// Translates a `#Predicate` into a predicate of the same meaning.
    ///
    /// ```swift
    /// try FetchPredicate(#Predicate<Note> { $0.title.contains("thread") && $0.created! > monday })
    /// try FetchPredicate(#Predicate<Note> { note in
    ///     note.tags.contains { $0.name == "craft" } && note.folder?.name == "Home"
    /// })
    /// ```
    /// Supported are:
    /// - properties of ``EntityObject`` classes, through to-one relationships (`?.`, `!`), and `objectID`;
    /// - captured values of every attribute type, and enumerations with such a raw value; parts that need no object are
    ///   computed at once;
    /// - `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||`, `!`, `? :`, `??`, `flatMap`, `x == nil`, `range.contains(x)`,
    ///   `array.contains(x)`;
    /// - of text `contains`, `starts(with:)`, `isEmpty`, `contains` of a regular expression in the syntax of `MATCHES`,
    ///   and on Apple's systems `localizedStandardContains` (as `CONTAINS[cd]`) and `caseInsensitiveCompare`;
    /// - of to-many relationships `contains(where:)`, `allSatisfy`, `contains`, `filter`, `count` and `isEmpty`.
    ///
    /// The result has the meaning of ``FetchPredicate``, not always that of Swift. Text is compared by its bytes. A
    /// comparison with nil is false, even if `!` would trap in Swift.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` with the part that a fetch cannot express: arithmetic on
    ///   properties, casts, the length of a text, or a property outside the model.
    public init<Object: EntityObject>(_ predicate: Foundation.Predicate<Object>) throws {
        var translator = PredicateTranslator()
        translator.bind(predicate.variable, to: FetchKeyPath(names: []))
        self = try translator.predicate(predicate.expression)
    }
}

extension FetchRequest where Object: EntityObject {
    /// Fetches all objects that satisfy a `#Predicate`.
    ///
    /// ```swift
    /// try context.fetch(FetchRequest<Note>(
    ///     where: #Predicate<Note> { $0.title.contains("thread") }, sortedBy: [.descending("created")], limit: 20))
    /// ```
    /// Write the type out: then the compiler names a misspelt property. Without the type, it reports the predicate as a
    /// whole.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` if a fetch cannot express a part of the predicate; see
    ///   ``Backstitch/FetchPredicate/init(_:)``.
    public init(
        where predicate: Foundation.Predicate<Object>, sortedBy sortDescriptors: [FetchSortDescriptor] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws {
        self.init(
            entityName: Object.entityName, predicate: try FetchPredicate(predicate), sortedBy: sortDescriptors,
            limit: limit,
            offset: offset)
    }
}
