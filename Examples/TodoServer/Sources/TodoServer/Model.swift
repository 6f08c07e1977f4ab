import Backstitch
import BackstitchMacros
import Foundation

extension ManagedObjectModel {
    /// The model. The classes give the tables and columns. When a class changes, a store is migrated as it is opened.
    static let todos = ManagedObjectModel([TodoList.entityDescription, Todo.entityDescription])
}
