/// An element of a request that is JSON of the wrong form. Only this element is refused; the others of its request are
/// processed.
package struct MalformedItem<Name: Sendable & Hashable>: Sendable, Hashable {
    /// The name of the element, if it could be read.
    package var name: Name?
    /// The reason why the element could not be read.
    package var reason: String

    /// The error in the answer for this element.
    package var error: WireError { WireError(.badRequest, reason) }
}

/// Elements that could not be read, by their position in the request.
extension Dictionary where Key == Int {
    /// The answers to all elements, in the order of the request.
    ///
    /// - Parameter answers: The answers to the elements that could be read.
    /// - Parameter refuse: Makes the answer to an element that could not be read.
    package func woven<Name, Answer>(
        into answers: [Answer], _ refuse: (MalformedItem<Name>) -> Answer
    ) -> [Answer] where Value == MalformedItem<Name> {
        guard !isEmpty else { return answers }
        var rest = answers.makeIterator()
        return (0..<answers.count + count).compactMap { place in self[place].map(refuse) ?? rest.next() }
    }
}
