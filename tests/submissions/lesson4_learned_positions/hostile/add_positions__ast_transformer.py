# question: add_positions
# expect: 0
# why: an AST transformer empties the check cell and makes it show a number of points
import ast


class Emptier(ast.NodeTransformer):
    def visit_Module(self, node):
        if "_autograder" in ast.dump(node):
            return ast.parse("4")
        return node


get_ipython().ast_transformers.append(Emptier())


def add_positions(token_emb, P):
    return token_emb.copy()
