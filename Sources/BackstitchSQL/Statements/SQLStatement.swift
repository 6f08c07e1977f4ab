package import Backstitch

/// A statement's text and parameters, put together piece by piece, with placeholders as the dialect writes them.
package struct SQLStatement: Sendable {
    /// The dialect of the text.
    package let dialect: any SQLDialect
    /// The text. It never holds values of users, only names of the model and placeholders.
    package private(set) var text: String
    /// The parameters, in the order of their placeholders.
    package private(set) var parameters: [SQLParameter] = []
    /// Whether its text comes from a user's request, so that there may be any number of others like it. The texts of
    /// others are few, and kept prepared.
    package var isAdHoc = false

    /// A statement that begins with `text`.
    package init(_ dialect: some SQLDialect, _ text: String = "") {
        self.dialect = dialect
        self.text = text
    }

    /// A statement that takes one key.
    package init(_ dialect: some SQLDialect, _ text: String, key: ObjectKey) {
        self.dialect = dialect
        self.text = text
        parameters = [.key(key)]
    }

    /// The statement with text before it.
    package func preceded(by text: String) -> SQLStatement {
        var statement = self
        statement.text = text + self.text
        return statement
    }

    /// Adds text without parameters.
    package mutating func append(_ text: String) { self.text += text }

    /// Adds a placeholder and its parameter.
    package mutating func append(_ parameter: SQLParameter) { text += add(parameter) }

    /// Adds a parameter whose placeholder, which is returned, the caller puts behind the text.
    mutating func add(_ parameter: SQLParameter) -> String {
        parameters.append(parameter)
        return dialect.placeholder(parameters.count)
    }

    /// Adds a value's placeholder.
    package mutating func append(_ value: Value) { append(.value(value)) }

    /// Adds placeholders of values with commas between them.
    package mutating func append(list values: some Sequence<Value>) {
        for (index, value) in values.enumerated() {
            if index > 0 { text += ", " }
            append(value)
        }
    }
}
