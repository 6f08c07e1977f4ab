public import Backstitch
public import Foundation

extension FetchPredicate {
    /// The same question as a `#Predicate` asks.
    ///
    /// ```swift
    /// try FetchPredicate(#Predicate<Note> { $0.title.contains("thread") && $0.created! > monday })
    /// try FetchPredicate(#Predicate<Note> { note in
    ///     note.tags.contains { $0.name == "craft" } && note.folder?.name == "Home"
    /// })
    /// ```
    /// Understood are:
    /// - properties of ``EntityObject`` classes, through to-one relationships (`?.`, `!`), and `objectID`; captured
    ///   values of every type that an attribute has, and enumerations of such a raw value; anything that needs no
    ///   object is computed at once;
    /// - `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||`, `!`, `? :`, `??`, `flatMap`, `x == nil`, `range.contains(x)`,
    ///   `array.contains(x)`;
    /// - of text `contains`, `starts(with:)`, `isEmpty`, `contains` of a regular expression in the syntax of `MATCHES`,
    ///   and on Apple's systems `localizedStandardContains` (as `CONTAINS[cd]`) and `caseInsensitiveCompare`;
    /// - of to-many relationships `contains(where:)`, `allSatisfy`, `contains`, `filter`, `count` and `isEmpty`.
    ///
    /// The result has the meaning of ``FetchPredicate``, which is not always that of Swift: text compares by its bytes
    /// and a comparison with nil is false, also where `!` would trap.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` naming what a fetch cannot express: arithmetic on
    ///   properties, casts, the length of a text, or a property that is no part of the model.
    public init<Object: EntityObject>(_ predicate: Foundation.Predicate<Object>) throws {
        var translator = PredicateTranslator()
        translator.bind(predicate.variable, to: FetchKeyPath(names: []))
        self = try translator.predicate(predicate.expression)
    }
}

extension FetchRequest where Object: EntityObject {
    /// All objects that a `#Predicate` is true for.
    ///
    /// ```swift
    /// try context.fetch(FetchRequest<Note>(
    ///     where: #Predicate<Note> { $0.title.contains("thread") }, sortedBy: [.descending("created")], limit: 20))
    /// ```
    /// With the type written out, the compiler names a misspelt property; without it, it reports the predicate as a
    /// whole.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` when the predicate has what a fetch cannot express; see
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
