import Backstitch
import BackstitchMacros

/// A list of todos. Deleting it deletes its todos.
@Entity final class TodoList: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: \Todo.list, delete: .cascade) var todos: Set<Todo>
}
