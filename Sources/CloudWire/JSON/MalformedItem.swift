/// An element of a request that is JSON of the wrong shape. It is refused by itself: others of its request are none the
/// worse for it.
package struct MalformedItem<Name: Sendable & Hashable>: Sendable, Hashable {
    /// The name that the element has nevertheless.
    package var name: Name?
    /// Why the element could not be read.
    package var reason: String

    /// The error that answers the element.
    package var error: WireError { WireError(.badRequest, reason) }
}

/// Elements that could not be read, by their place in the request.
extension Dictionary where Key == Int {
    /// The answers to all elements, in the order of the request.
    ///
    /// - Parameters:
    ///   - answers: The answers to the elements that could be read.
    ///   - refuse: Makes the answer to one that could not.
    package func woven<Name, Answer>(
        into answers: [Answer], _ refuse: (MalformedItem<Name>) -> Answer
    ) -> [Answer] where Value == MalformedItem<Name> {
        guard !isEmpty else { return answers }
        var rest = answers.makeIterator()
        return (0..<answers.count + count).compactMap { place in self[place].map(refuse) ?? rest.next() }
    }
}
