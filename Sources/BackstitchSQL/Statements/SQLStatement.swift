package import Backstitch

/// The text and the parameters of a statement, built piece by piece, with placeholders in the dialect's form.
package struct SQLStatement: Sendable {
    /// The dialect of the text.
    package let dialect: any SQLDialect
    /// The text. It never has values of users, only names of the model and placeholders.
    package private(set) var text: String
    /// The parameters, in the order of their placeholders.
    package private(set) var parameters: [SQLParameter] = []
    /// Whether the text depends on a user's request. There may then be any number of similar texts. Other texts are
    /// few, and are kept prepared.
    package var isAdHoc = false

    /// Creates a statement that begins with `text`.
    package init(_ dialect: some SQLDialect, _ text: String = "") {
        self.dialect = dialect
        self.text = text
    }

    /// Creates a statement with one key as its parameter.
    package init(_ dialect: some SQLDialect, _ text: String, key: ObjectKey) {
        self.dialect = dialect
        self.text = text
        parameters = [.key(key)]
    }

    /// The statement with a text before it.
    package func preceded(by text: String) -> SQLStatement {
        var statement = self
        statement.text = text + self.text
        return statement
    }

    /// Adds text without parameters.
    package mutating func append(_ text: String) { self.text += text }

    /// Adds a placeholder and its parameter.
    package mutating func append(_ parameter: SQLParameter) { text += add(parameter) }

    /// Adds a parameter, and returns its placeholder. The caller appends it to the text.
    mutating func add(_ parameter: SQLParameter) -> String {
        parameters.append(parameter)
        return dialect.placeholder(parameters.count)
    }

    /// Adds the placeholder of a value.
    package mutating func append(_ value: Value) { append(.value(value)) }

    /// Adds the placeholders of several values, with commas between them.
    package mutating func append(list values: some Sequence<Value>) {
        for (index, value) in values.enumerated() {
            if index > 0 { text += ", " }
            append(value)
        }
    }
}
