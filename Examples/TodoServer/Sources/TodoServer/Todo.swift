import Backstitch
import BackstitchMacros
import Foundation

/// An entry of a list, with its state and its due date.
@Entity final class Todo: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var isDone: Bool = false
    @Attribute var due: Date?
    /// The number of the last change; each change increments it. Clients send the revision of their last read.
    @Attribute var revision: Int = 1
    @Relationship(inverse: "todos") var list: TodoList?
}
